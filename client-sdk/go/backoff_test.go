package watchgate

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryBudget_isAHundredPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := retryBudget{}
		for i := range 100 {
			if wait := budget.reserve(0); wait > 0 {
				t.Fatalf("retry %d waits %s", i, wait)
			}
		}
		var last time.Duration
		for range 1000 {
			last = budget.reserve(time.Second)
		}
		if last != 10*time.Second {
			t.Errorf("retry 1,100 waits %s", last)
		}
		time.Sleep(time.Minute)
		if wait := budget.reserve(0); wait > 0 {
			t.Error(wait)
		}
	})
}
