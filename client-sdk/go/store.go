package watchgate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
)

// StoreOption changes a [Store].
type StoreOption[T any] func(*Store[T])

// WithIndex adds an index for [Store.ByIndex]: an object is found by each of its values.
func WithIndex[T any](name string, values func(T) []string) StoreOption[T] {
	return func(s *Store[T]) { s.indexes[name] = &index[T]{values: values, keys: map[string]map[Key]struct{}{}} }
}

// WithRequest adds options of the request.
func WithRequest[T any](options ...RequestOption) StoreOption[T] {
	return func(s *Store[T]) { s.request = append(s.request, options...) }
}

// SkipUndecodable keeps the store running if an object cannot be decoded, and calls report, on the goroutine of the store. The store then has the object as
// it was before, or not at all. Without this option the store ends with the [DecodeError].
func SkipUndecodable[T any](report func(*DecodeError)) StoreOption[T] {
	return func(s *Store[T]) { s.skip = report }
}

// Store holds the decoded objects of a selection, equal to the apiserver's within the time that changes take. While no gateway can be reached it
// keeps the last state. It may be used by several goroutines; objects must not be changed.
type Store[T any] struct {
	indexes map[string]*index[T]
	request []RequestOption
	skip    func(*DecodeError)
	cancel  context.CancelFunc
	done    chan struct{} // closed when the store has ended

	mu           sync.RWMutex
	state        *State[T]
	position     Position
	isSynced     bool
	advanced     chan struct{} // closed and replaced when the position changes
	readers      map[*queue[T]]struct{}
	interruption error
	err          error
}

// Reflect starts a store, which ends with ctx, with [Store.Close], and if its watch ends. It has the objects after [Store.Synced].
func Reflect[T any](ctx context.Context, client *Client, selection Selection, decode func(Change) (T, error), options ...StoreOption[T]) *Store[T] {
	store := &Store[T]{
		indexes:  map[string]*index[T]{},
		done:     make(chan struct{}),
		state:    NewState(decode),
		advanced: make(chan struct{}),
		readers:  map[*queue[T]]struct{}{},
	}
	for _, option := range options {
		option(store)
	}
	ctx, store.cancel = context.WithCancel(ctx)
	go store.run(ctx, client.Watch(ctx, selection, store.request...))
	return store
}

func (s *Store[T]) run(ctx context.Context, watch iter.Seq2[Event, error]) {
	err := s.follow(watch)
	if err == nil {
		err = context.Cause(ctx)
	}
	s.cancel()
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	close(s.done)
}

func (s *Store[T]) follow(watch iter.Seq2[Event, error]) error {
	for event, err := range watch {
		if err == nil {
			err = s.apply(event)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store[T]) apply(event Event) error {
	position, err := s.change(event)
	if err := s.report(err); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch event := event.(type) {
	case SnapshotComplete:
		s.isSynced = true
	case Interrupted:
		s.interruption = event.Cause
	case Opened:
		s.interruption = nil
	}
	// The position is published last, so that the function of SkipUndecodable is called before WaitAtLeast returns.
	if s.position = position; s.isSynced {
		close(s.advanced)
		s.advanced = make(chan struct{})
	}
	return nil
}

// change applies an event to the objects, the indexes and the readers.
func (s *Store[T]) change(event Event) (Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	differences, err := s.state.Apply(event)
	for _, difference := range differences {
		for _, index := range s.indexes {
			index.apply(difference)
		}
		for reader := range s.readers {
			reader.push(difference)
		}
	}
	return s.state.Position(), err
}

// report passes each DecodeError to the option's function, and returns any other error.
func (s *Store[T]) report(err error) error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || s.skip == nil {
		return err
	}
	for _, one := range joined.Unwrap() {
		var fault *DecodeError
		if errors.As(one, &fault) {
			s.skip(fault)
		}
	}
	return nil
}

// Synced waits for the first snapshot. It returns an error if ctx or the store ends before.
func (s *Store[T]) Synced(ctx context.Context) error {
	return s.await(ctx, func() bool { return true })
}

// WaitAtLeast waits until the store is at a resourceVersion, of a write or a read elsewhere, or later. If the version is that of an object
// outside the selection, the wait ends with the next bookmark.
func (s *Store[T]) WaitAtLeast(ctx context.Context, resourceVersion string) error {
	if strings.Trim(resourceVersion, "0123456789") != "" || resourceVersion == "" {
		return fmt.Errorf("watchgate: the resourceVersion %q is not a decimal number", resourceVersion)
	}
	return s.await(ctx, func() bool { return compareVersions(s.position.ResourceVersion, resourceVersion) >= 0 })
}

// await waits until the store is synced and the condition, which is called under the lock, is true.
func (s *Store[T]) await(ctx context.Context, condition func() bool) error {
	for {
		s.mu.RLock()
		isTrue, advanced := s.isSynced && condition(), s.advanced
		s.mu.RUnlock()
		if isTrue {
			return nil
		}
		select {
		case <-advanced:
		case <-s.done:
			return s.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// compareVersions compares decimal numbers of any length.
func compareVersions(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Get returns an object.
func (s *Store[T]) Get(key Key) (T, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.Get(key)
}

// Len returns the number of objects.
func (s *Store[T]) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.Len()
}

// List returns the objects, in no order.
func (s *Store[T]) List() []T {
	s.mu.RLock()
	defer s.mu.RUnlock()
	objects := make([]T, 0, s.state.Len())
	for _, object := range s.state.All() {
		objects = append(objects, object)
	}
	return objects
}

// Snapshot returns all objects, and the resourceVersion at which they are the state; it is empty before the store is synced.
func (s *Store[T]) Snapshot() (map[Key]T, string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Collect(s.state.All()), s.state.Position().ResourceVersion
}

// ByIndex returns the objects that have a value of an index, in no order. It panics if the store was made without the index.
func (s *Store[T]) ByIndex(name, value string) []T {
	index := s.indexes[name]
	if index == nil {
		panic("watchgate: the store has no index " + name + "; make it with WithIndex")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	objects := make([]T, 0, len(index.keys[value]))
	for key := range index.keys[value] {
		object, _ := s.state.Get(key)
		objects = append(objects, object)
	}
	return objects
}

// Changes returns the objects of the store as ADDED, then every difference, until ctx or the store ends or the range is left. Differences that are not
// read yet are merged for each object, but a deletion is never merged with what follows it.
func (s *Store[T]) Changes(ctx context.Context) iter.Seq[Difference[T]] {
	return func(yield func(Difference[T]) bool) {
		reader := s.subscribe()
		defer s.unsubscribe(reader)
		for ctx.Err() == nil {
			if difference, ok := reader.pop(); ok {
				if !yield(difference) {
					return
				}
				continue
			}
			select {
			case <-reader.ready:
			case <-ctx.Done():
			case <-s.done:
				if len(reader.ready) == 0 {
					return
				}
			}
		}
	}
}

func (s *Store[T]) subscribe() *queue[T] {
	reader := newQueue[T]()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, object := range s.state.objects {
		reader.push(Difference[T]{Type: Added, Key: key, UID: object.uid, ResourceVersion: object.version, New: object.value})
	}
	s.readers[reader] = struct{}{}
	return reader
}

func (s *Store[T]) unsubscribe(reader *queue[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readers, reader)
}

// Interruption returns why there is no stream at the moment, nil while there is one.
func (s *Store[T]) Interruption() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.interruption
}

// Err returns why the store has ended, nil while it has not.
func (s *Store[T]) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.err
}

// Close ends the store and waits for its goroutine. It must not be called by the decoder.
func (s *Store[T]) Close() {
	s.cancel()
	<-s.done
}

// index finds keys by the values of their objects.
type index[T any] struct {
	values func(T) []string
	keys   map[string]map[Key]struct{}
}

func (i *index[T]) apply(difference Difference[T]) {
	if difference.Type != Added {
		for _, value := range i.values(difference.Old) {
			delete(i.keys[value], difference.Key)
			if len(i.keys[value]) == 0 {
				delete(i.keys, value)
			}
		}
	}
	if difference.Type == Deleted {
		return
	}
	for _, value := range i.values(difference.New) {
		if i.keys[value] == nil {
			i.keys[value] = map[Key]struct{}{}
		}
		i.keys[value][difference.Key] = struct{}{}
	}
}
