package watchgate

import (
	"time"

	"watchgate.io/client/watchgatev1"
)

// Event is a step of a watch: one of [Opened], [Resumed], [SnapshotBegun], [SnapshotObjects], [SnapshotComplete], [Changes], [Bookmark],
// [Interrupted] and [Reconnected]. [State.Apply] applies events in order.
type Event interface{ event() }

// Key identifies an object of a type. The namespace of a cluster-scoped object is empty.
type Key struct{ Namespace, Name string }

func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Position is a point in the timeline of a selection. With the token a watch continues after it; the version is information.
type Position struct {
	ResourceVersion string
	Token           []byte
}

// ChangeType is the type of a change.
type ChangeType int

// Types of a change.
const (
	Added ChangeType = iota + 1
	Modified
	Deleted
)

func (t ChangeType) String() string {
	switch t {
	case Added:
		return "ADDED"
	case Modified:
		return "MODIFIED"
	case Deleted:
		return "DELETED"
	}
	return "UNKNOWN"
}

// Change is a change of one object, or an object of a snapshot or a list.
type Change struct {
	Type            ChangeType
	Key             Key
	UID             string // empty if the apiserver gives none
	ResourceVersion string
	// Object is the JSON of the apiserver without the parts that the selection leaves out; of a DELETED, the last state that matched. It is nil
	// if OmittedBytes is not 0, or if the view has no body.
	Object []byte
	// OmittedBytes is the size of an object that exceeds [MaxResponseBytes]. The object is present; read it from the apiserver.
	OmittedBytes uint64
	Removal      watchgatev1.RemovalReason // of a DELETED
	ReceivedAt   time.Time                 // by the first gateway; zero in snapshots
}

// Opened says that a gateway admitted a stream.
type Opened struct{ Stream *watchgatev1.StreamOpened }

// Resumed says that changes follow from Position, without a snapshot.
type Resumed struct{ Position Position }

// SnapshotBegun says that a snapshot begins. Collect its objects beside the present state. If [Interrupted] or another SnapshotBegun arrives before
// [SnapshotComplete], discard them.
type SnapshotBegun struct {
	Reason           watchgatev1.SnapshotReason
	EstimatedObjects uint64 // 0: unknown
	HistoryID        string // versions are comparable only under the same id, and not with those before a snapshot because of HISTORY_LOST or TYPE_CHANGED
}

// SnapshotObjects has a part of the snapshot's objects, in no order.
type SnapshotObjects struct{ Objects []Change }

// SnapshotComplete says that the collected objects replace the state: an object that is missing from them, or has another UID, was deleted.
type SnapshotComplete struct {
	Position  Position
	Objects   uint64
	Staleness time.Duration // how far the gateway may have been behind the apiserver
}

// Changes has changes to apply in order, together; they lead to Position.
type Changes struct {
	Changes   []Change
	Position  Position
	NetEffect *NetEffect // not nil: the changes are the net effect of several, deletions first
}

// NetEffect is a range of changes that were not sent one by one.
type NetEffect struct {
	Reason         watchgatev1.NetEffectReason
	EventsReplaced uint64 // 0: unknown
}

// Bookmark says that everything up to Position was sent.
type Bookmark struct {
	Position   Position  // zero while the type is loading or a group is incomplete
	VerifiedAt time.Time // the last time at which the apiserver proved the gateway's state current; zero: unknown
	SentAt     time.Time // by the same clock
}

// Interrupted says that the stream, or an attempt to open one, ended. The watch continues by itself after Delay.
type Interrupted struct {
	// Cause is a [*StatusError], [*GoingAwayError], [*SilenceError] or [*GroupTooLargeError].
	Cause             error
	Attempt           int // counted from 1 since the last working stream
	Delay             time.Duration
	SnapshotDiscarded bool // a snapshot was incomplete
}

// Reconnected says that the watch continues after one or more [Interrupted].
type Reconnected struct {
	Cause        error // of the first interruption
	Attempts     int
	Outage       time.Duration
	Continuation Continuation
	LastPosition Position // before the outage; zero: none was reached
}

// Continuation is the point at which a watch continues.
type Continuation int

// Points at which a watch continues.
const (
	// FromPosition is directly after the last position: no change is missed.
	FromPosition Continuation = iota + 1
	// StartedOver is the beginning: nothing complete had been received, so no change is missed.
	StartedOver
	// FromSnapshot is a new snapshot, which has the result of the changes that are missed.
	FromSnapshot
	// FromPresent is the present, because a watch from now had reached no position: changes are missed.
	FromPresent
)

func (Opened) event()           {}
func (Resumed) event()          {}
func (SnapshotBegun) event()    {}
func (SnapshotObjects) event()  {}
func (SnapshotComplete) event() {}
func (Changes) event()          {}
func (Bookmark) event()         {}
func (Interrupted) event()      {}
func (Reconnected) event()      {}

// changesOf converts events of the wire. It reports false for an event that cannot be applied: of an unknown type, or with a patch, which
// this client does not ask for.
func changesOf(events []*watchgatev1.WatchEvent) ([]Change, bool) {
	changes := make([]Change, len(events))
	for i, event := range events {
		change := &changes[i]
		switch event.Type {
		case watchgatev1.EventType_EVENT_TYPE_ADDED:
			change.Type = Added
		case watchgatev1.EventType_EVENT_TYPE_MODIFIED:
			change.Type = Modified
		case watchgatev1.EventType_EVENT_TYPE_DELETED:
			change.Type = Deleted
		default:
			return nil, false
		}
		switch body := event.Body.(type) {
		case *watchgatev1.WatchEvent_Object:
			change.Object = body.Object
		case *watchgatev1.WatchEvent_Omitted:
			change.OmittedBytes = max(body.Omitted.GetSize(), 1)
		case *watchgatev1.WatchEvent_Patch:
			return nil, false
		}
		change.Key = Key{event.Key.GetNamespace(), event.Key.GetName()}
		change.UID = event.Key.GetUid()
		change.ResourceVersion = event.ResourceVersion
		change.Removal = event.RemovalReason
		if event.ReceiveTime != nil {
			change.ReceivedAt = event.ReceiveTime.AsTime()
		}
	}
	return changes, true
}
