package watchgate

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"watchgate.io/client/watchgatev1"
)

// assembler makes events of the responses of one stream. Outside a snapshot it holds changes back until a response has a token, so that the
// state of the program and the token to resume from never differ. A group that is incomplete is dropped with its stream.
type assembler struct {
	maxGroupBytes int
	held          []Change
	heldBytes     int
	inSnapshot    bool
	netEffect     *NetEffect
}

// accept returns the events of a response, and the position once all of them are applied; nil inside a group.
func (a *assembler) accept(response *watchgatev1.ListAndWatchResponse) ([]Event, *Position, error) {
	changes, ok := changesOf(response.Events)
	if !ok {
		return nil, nil, &StatusError{
			Code: codes.Internal, Action: Restart, Message: "the stream has an event that this client cannot apply and did not ask for"}
	}
	switch signal := response.Signal.(type) {
	case *watchgatev1.ListAndWatchResponse_SnapshotStarted:
		a.inSnapshot, a.netEffect = true, nil
		a.release()
		started := signal.SnapshotStarted
		return []Event{SnapshotBegun{started.GetReason(), started.GetObjects(), started.GetHistoryId()}}, nil, nil
	case *watchgatev1.ListAndWatchResponse_NetEffectStarted:
		a.netEffect = &NetEffect{signal.NetEffectStarted.GetReason(), signal.NetEffectStarted.GetEventsReplaced()}
	}
	if a.inSnapshot {
		events, reached := a.snapshot(response, changes)
		return events, reached, nil
	}
	return a.changes(response, changes)
}

func (a *assembler) snapshot(response *watchgatev1.ListAndWatchResponse, objects []Change) (events []Event, reached *Position) {
	if len(objects) > 0 {
		events = append(events, SnapshotObjects{objects})
	}
	switch signal := response.Signal.(type) {
	case *watchgatev1.ListAndWatchResponse_Synced:
		a.inSnapshot = false
		reached = &Position{response.ResourceVersion, response.ResumeToken}
		events = append(events, SnapshotComplete{*reached, signal.Synced.GetObjects(), signal.Synced.GetStaleness().AsDuration()})
	case *watchgatev1.ListAndWatchResponse_Bookmark:
		events = append(events, bookmarkOf(signal.Bookmark, nil))
	}
	return events, reached
}

func (a *assembler) changes(response *watchgatev1.ListAndWatchResponse, changes []Change) (events []Event, reached *Position, err error) {
	if a.held == nil {
		a.held = changes
	} else {
		a.held = append(a.held, changes...)
	}
	if len(response.ResumeToken) == 0 {
		if len(changes) > 0 {
			a.heldBytes += proto.Size(response)
		}
		if a.heldBytes > a.maxGroupBytes {
			return nil, nil, &GroupTooLargeError{a.maxGroupBytes}
		}
	} else {
		reached = &Position{response.ResourceVersion, response.ResumeToken}
		if len(a.held) > 0 || a.netEffect != nil {
			events = append(events, Changes{a.held, *reached, a.netEffect})
			a.netEffect = nil
			a.release()
		}
	}
	switch signal := response.Signal.(type) {
	case *watchgatev1.ListAndWatchResponse_Bookmark:
		events = append(events, bookmarkOf(signal.Bookmark, reached))
	case *watchgatev1.ListAndWatchResponse_Resumed:
		if reached != nil {
			events = append(events, Resumed{*reached})
		}
	}
	return events, reached, nil
}

func (a *assembler) release() { a.held, a.heldBytes = nil, 0 }

func bookmarkOf(wire *watchgatev1.Bookmark, reached *Position) Bookmark {
	bookmark := Bookmark{}
	if reached != nil {
		bookmark.Position = *reached
	}
	if wire.GetVerifiedAt() != nil {
		bookmark.VerifiedAt = wire.GetVerifiedAt().AsTime()
	}
	if wire.GetSentAt() != nil {
		bookmark.SentAt = wire.GetSentAt().AsTime()
	}
	return bookmark
}

// silenceOf returns three bookmark intervals; the interval is within the range of the contract.
func silenceOf(delivery *watchgatev1.Delivery) (time.Duration, bool) {
	if delivery.GetBookmarkInterval() == nil {
		return 0, false
	}
	return 3 * min(max(delivery.GetBookmarkInterval().AsDuration(), time.Second), 5*time.Minute), true
}
