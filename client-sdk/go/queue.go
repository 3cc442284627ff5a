package watchgate

import (
	"container/list"
	"sync"
)

// queue holds the differences that one reader of a store has not read yet: at most two for each object, a deletion and the difference that
// follows it. Further ones are merged. A reader that stops keeps alive at most the objects that it received last, and the present ones.
type queue[T any] struct {
	ready chan struct{} // has one element after a difference was added

	mu    sync.Mutex
	order *list.List // of *pending[T]
	last  map[Key]*list.Element
}

type pending[T any] struct {
	Difference[T]

	before *list.Element // deletion of an earlier object of the key
}

func newQueue[T any]() *queue[T] {
	return &queue[T]{ready: make(chan struct{}, 1), order: list.New(), last: map[Key]*list.Element{}}
}

func (q *queue[T]) push(difference Difference[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	element := q.last[difference.Key]
	if element == nil || element.Value.(*pending[T]).Type == Deleted {
		q.last[difference.Key] = q.order.PushBack(&pending[T]{difference, element})
	} else {
		q.merge(element, difference)
	}
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// merge merges a difference into the one before, which is ADDED or MODIFIED.
func (q *queue[T]) merge(element *list.Element, next Difference[T]) {
	merged := element.Value.(*pending[T])
	if merged.Type == Added && next.Type == Deleted { // the reader never saw it
		q.order.Remove(element)
		if merged.before == nil {
			delete(q.last, next.Key)
		} else {
			q.last[next.Key] = merged.before
		}
		return
	}
	next.Old = merged.Old
	if merged.Type == Added {
		next.Type = Added
	}
	merged.Difference = next
}

func (q *queue[T]) pop() (Difference[T], bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	front := q.order.Front()
	if front == nil {
		return Difference[T]{}, false
	}
	first := q.order.Remove(front).(*pending[T])
	if last := q.last[first.Key]; last == front {
		delete(q.last, first.Key)
	} else {
		last.Value.(*pending[T]).before = nil
	}
	return first.Difference, true
}
