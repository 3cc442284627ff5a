package watchgate

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	firstWait   = 500 * time.Millisecond // of the contract
	longestWait = 30 * time.Second
)

// backoff gives random waits between 0 and a bound that doubles with each failure. Not safe for several goroutines.
type backoff struct {
	first time.Duration // 0: firstWait
	bound time.Duration // 0: first
}

func (b *backoff) next() time.Duration {
	if b.first == 0 {
		b.first = firstWait
	}
	if b.bound == 0 {
		b.bound = b.first
	}
	wait := jitter(b.bound)
	b.bound = min(2*b.bound, longestWait)
	return wait
}

func (b *backoff) reset() { b.bound = 0 }

// jitter returns a random duration up to limit, so that clients do not return together.
func jitter(limit time.Duration) time.Duration { return rand.N(max(limit, 0) + 1) }

// sleep reports whether the wait is over before ctx ends.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// retryBudget limits the retries of a client with many watches to 100 per second, after a burst of 100: each watch has a backoff, but thousands
// of them retry thousands of times per second.
type retryBudget struct {
	mu   sync.Mutex
	next time.Time
}

const (
	retryInterval = 10 * time.Millisecond
	retryBurst    = time.Second
)

// reserve returns the wait, or a longer one if too many retries are due.
func (b *retryBudget) reserve(wait time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if earliest := now.Add(-retryBurst); b.next.Before(earliest) {
		b.next = earliest
	}
	b.next = b.next.Add(retryInterval)
	return max(wait, b.next.Sub(now))
}
