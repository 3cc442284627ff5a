package kube

import (
	"sync"
	"time"
)

const probeInterval = 10 * time.Second // of a gateway that is away

// availability says whether requests wait for a gateway, or go to the apiserver. All is guarded by mu.
type availability struct {
	maxWait time.Duration

	mu         sync.Mutex
	answeredAt time.Time // of the last answer
	awaySince  time.Time // zero: the gateway answers
	probeAt    time.Time // the time of the next attempt, after maxWait
	reported   bool      // the outage was logged
}

// shouldTry reports whether a request may be sent to the gateway. Once the gateway has been away for maxWait, one request per interval
// may.
func (a *availability) shouldTry() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if a.awaySince.IsZero() || now.Sub(a.awaySince) < a.maxWait {
		return true
	}
	if now.Before(a.probeAt) {
		return false
	}
	a.probeAt = now.Add(probeInterval)
	return true
}

func (a *availability) answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answeredAt, a.awaySince, a.reported = time.Now(), time.Time{}, false
}

// shouldReport reports true once for each outage.
func (a *availability) shouldReport() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := !a.awaySince.IsZero() && !a.reported
	a.reported = a.reported || first
	return first
}

// failed records an attempt without an answer, and returns until when requests wait for the gateway. An attempt is no sign of an outage if
// another request was answered since it began.
func (a *availability) failed(began time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if began.Before(a.answeredAt) {
		return time.Now().Add(a.maxWait)
	}
	if a.awaySince.IsZero() {
		a.awaySince = began
		a.probeAt = time.Now().Add(max(a.maxWait, probeInterval))
	}
	return a.awaySince.Add(a.maxWait)
}
