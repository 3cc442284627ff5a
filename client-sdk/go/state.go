package watchgate

import (
	"errors"
	"hash/maphash"
	"iter"
)

// Difference is what an event changed about one object of a [State].
type Difference[T any] struct {
	Type            ChangeType
	Key             Key
	UID             string
	ResourceVersion string
	Old             T // zero if the object is ADDED
	New             T // zero if the object is DELETED
}

// State is the decoded objects of a selection at a position. It is kept by applying the events of a watch in order. Not safe for
// several goroutines; [Store] is.
type State[T any] struct {
	decode   func(Change) (T, error)
	seed     maphash.Seed
	objects  map[Key]held[T]
	snapshot map[Key]held[T] // that is being collected
	failures []error         // of the snapshot
	isWhole  bool            // a snapshot was complete: all objects are held that can be decoded
	position Position
}

type held[T any] struct {
	uid, version string
	body         uint64 // hash: after a change of its schema an object differs under the same version
	value        T
}

// NewState returns an empty state.
func NewState[T any](decode func(Change) (T, error)) *State[T] {
	return &State[T]{decode: decode, seed: maphash.MakeSeed(), objects: map[Key]held[T]{}}
}

// Apply applies an event and returns the differences that it makes. A snapshot makes them when it is complete, deletions first, and an object that is
// as before makes none. An object that was deleted and created again makes two.
//
// An object that cannot be decoded is not set; the state keeps it as it was before. The error joins a [*DecodeError] for each of them, and the
// other objects are applied.
func (s *State[T]) Apply(event Event) ([]Difference[T], error) {
	switch event := event.(type) {
	case SnapshotBegun:
		s.snapshot, s.failures = map[Key]held[T]{}, nil
	case SnapshotObjects:
		for _, object := range event.Objects {
			s.collect(object)
		}
	case SnapshotComplete:
		differences, err := s.replace()
		s.position, s.isWhole = event.Position, true
		return differences, err
	case Interrupted:
		s.snapshot, s.failures = nil, nil
	case Changes:
		differences, err := s.apply(event.Changes)
		s.position = event.Position
		return differences, err
	case Bookmark:
		if len(event.Position.Token) > 0 {
			s.position = event.Position
		}
	case Resumed:
		s.position = event.Position
	}
	return nil, nil
}

// Get returns an object.
func (s *State[T]) Get(key Key) (T, bool) {
	object, ok := s.objects[key]
	return object.value, ok
}

// Len returns the number of objects.
func (s *State[T]) Len() int { return len(s.objects) }

// All returns the objects, in no order.
func (s *State[T]) All() iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) {
		for key, object := range s.objects {
			if !yield(key, object.value) {
				return
			}
		}
	}
}

// Position returns the position that the state is at; zero before the first snapshot.
func (s *State[T]) Position() Position { return s.position }

// collect decodes an object of a snapshot, unless it is held already, so that the JSON of all objects is never held together.
func (s *State[T]) collect(object Change) {
	if s.snapshot == nil {
		return // after an interruption, by an event out of order
	}
	before, ok := s.objects[object.Key]
	now := held[T]{uid: object.UID, version: object.ResourceVersion, body: s.hash(object)}
	if ok && before.equals(now) {
		s.snapshot[object.Key] = before
		return
	}
	var err error
	if now.value, err = s.decode(object); err == nil {
		s.snapshot[object.Key] = now
		return
	}
	s.failures = append(s.failures, &DecodeError{object.Key, object.ResourceVersion, err})
	if ok && before.uid == now.uid {
		s.snapshot[object.Key] = before
	}
}

func (h held[T]) equals(other held[T]) bool {
	return h.uid == other.uid && h.version == other.version && h.body == other.body
}

func (s *State[T]) replace() ([]Difference[T], error) {
	fresh, failures := s.snapshot, s.failures
	s.snapshot, s.failures = nil, nil
	var differences []Difference[T]
	for key, before := range s.objects {
		if now, ok := fresh[key]; !ok || now.uid != before.uid {
			differences = append(differences, s.remove(key, before, before.version))
		}
	}
	for key, now := range fresh {
		before, ok := s.objects[key]
		if ok && before.equals(now) {
			continue
		}
		kind := Added
		if ok {
			kind = Modified
		}
		s.objects[key] = now
		differences = append(differences, Difference[T]{kind, key, now.uid, now.version, before.value, now.value})
	}
	return differences, errors.Join(failures...)
}

func (s *State[T]) apply(changes []Change) ([]Difference[T], error) {
	differences := make([]Difference[T], 0, len(changes))
	var failures []error
	for _, change := range changes {
		before, ok := s.objects[change.Key]
		switch {
		case change.Type != Deleted:
			if ok && before.uid != change.UID {
				differences = append(differences, s.remove(change.Key, before, before.version))
			}
			failures = s.set(change, &differences, failures)
		case ok:
			differences = append(differences, s.remove(change.Key, before, change.ResourceVersion))
		case !s.isWhole: // an object from before the begin of a watch without a snapshot
			last, err := s.decode(change)
			if err != nil {
				failures = append(failures, &DecodeError{change.Key, change.ResourceVersion, err})
				continue
			}
			differences = append(differences, Difference[T]{
				Type: Deleted, Key: change.Key, UID: change.UID, ResourceVersion: change.ResourceVersion, Old: last})
		}
	}
	return differences, errors.Join(failures...)
}

func (s *State[T]) set(change Change, differences *[]Difference[T], failures []error) []error {
	value, err := s.decode(change)
	if err != nil {
		return append(failures, &DecodeError{change.Key, change.ResourceVersion, err})
	}
	before, ok := s.objects[change.Key]
	kind := change.Type
	switch {
	case ok:
		kind = Modified
	case s.isWhole: // new, or it could not be decoded before
		kind = Added
	}
	s.objects[change.Key] = held[T]{change.UID, change.ResourceVersion, s.hash(change), value}
	*differences = append(*differences, Difference[T]{
		Type: kind, Key: change.Key, UID: change.UID, ResourceVersion: change.ResourceVersion, Old: before.value, New: value})
	return failures
}

func (s *State[T]) remove(key Key, before held[T], version string) Difference[T] {
	delete(s.objects, key)
	return Difference[T]{Type: Deleted, Key: key, UID: before.uid, ResourceVersion: version, Old: before.value}
}

func (s *State[T]) hash(change Change) uint64 { return maphash.Bytes(s.seed, change.Object) }
