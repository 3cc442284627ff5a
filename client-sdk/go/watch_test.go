package watchgate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatetest"
	"watchgate.io/client/watchgatev1"
)

var pods = watchgate.Selection{Resource: "pods"}

// bubble runs a test with a clock of its own. The test fails if a goroutine is left.
func bubble(t *testing.T, test func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client), options ...watchgate.Option) {
	t.Helper()
	replicas(t, 1, func(t *testing.T, gateways []*watchgatetest.FakeGateway, client *watchgate.Client) {
		test(t, gateways[0], client)
	}, options...)
}

// replicas runs the same with several gateways.
func replicas(t *testing.T, count int, test func(t *testing.T, gateways []*watchgatetest.FakeGateway, client *watchgate.Client), options ...watchgate.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		gateways := make([]*watchgatetest.FakeGateway, count)
		for i := range gateways {
			gateways[i] = watchgatetest.Start()
			defer gateways[i].Close()
		}
		client, err := watchgatetest.NewClient(gateways, options...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		test(t, gateways, client)
	})
}

// described is a short form of an event.
func described(event watchgate.Event) string {
	var texts []string
	add := func(changes []watchgate.Change) {
		for _, change := range changes {
			texts = append(texts, change.Type.String()+" "+change.Key.String())
		}
	}
	switch event := event.(type) {
	case watchgate.SnapshotObjects:
		add(event.Objects)
	case watchgate.Changes:
		add(event.Changes)
	case watchgate.SnapshotBegun:
		return "BEGUN"
	case watchgate.SnapshotComplete:
		return "COMPLETE"
	case watchgate.Reconnected:
		return fmt.Sprintf("RECONNECTED %d", event.Continuation)
	case watchgate.Interrupted:
		return "INTERRUPTED"
	default:
		return strings.ToUpper(strings.TrimPrefix(fmt.Sprintf("%T", event), "watchgate."))
	}
	return strings.Join(texts, ", ")
}

// story watches, and calls step for each event but Opened until it returns false.
func story(ctx context.Context, t *testing.T, client *watchgate.Client, step func(event watchgate.Event) bool, options ...watchgate.RequestOption) (lines []string) {
	t.Helper()
	for event, err := range client.Watch(ctx, pods, options...) {
		if err != nil {
			t.Fatalf("after %v: %v", lines, err)
		}
		if _, ok := event.(watchgate.Opened); ok {
			continue
		}
		lines = append(lines, described(event))
		if !step(event) {
			break
		}
	}
	return lines
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWatch_snapshotThenChanges(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", `{"n":9007199254740993}`)
		lines := story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotObjects:
				if got := string(event.Objects[0].Object); got != `{"n":9007199254740993}` {
					t.Error(got)
				}
			case watchgate.SnapshotComplete:
				gateway.Put("shop", "api", "{}")
				gateway.Put("shop", "api", "[]")
				gateway.Delete("shop", "web")
			case watchgate.Changes:
				return event.Changes[0].Type != watchgate.Deleted
			}
			return true
		})
		expect(t, lines, "BEGUN", "ADDED shop/web", "COMPLETE", "ADDED shop/api", "MODIFIED shop/api", "DELETED shop/web")
		if err := gateway.AwaitStreams(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
}

func TestWatch_resumesAfterALostConnection(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "{}")
		lines := story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				gateway.Cut()
			case watchgate.Interrupted:
				gateway.Put("shop", "api", "{}")
			case watchgate.Reconnected:
				if event.Attempts != 1 || event.LastPosition.ResourceVersion != "101" || event.Continuation != watchgate.FromPosition {
					t.Errorf("%+v", event)
				}
			case watchgate.Changes:
				return false
			}
			return true
		})
		expect(t, lines, "BEGUN", "ADDED shop/web", "COMPLETE", "INTERRUPTED", "RECONNECTED 1", "RESUMED", "ADDED shop/api")
		if token := string(gateway.Requests()[1].GetResumeToken()); token != "fake-101" {
			t.Errorf("resumed with %q", token)
		}
	})
}

func TestWatch_incompleteSnapshotIsDiscarded(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "{}")
		state := watchgate.NewState(watchgate.Raw)
		discarded := false
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			differences, _ := state.Apply(event)
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				if len(differences) > 0 { // the first one
					gateway.Send(&watchgatev1.ListAndWatchResponse{
						Signal: &watchgatev1.ListAndWatchResponse_SnapshotStarted{SnapshotStarted: &watchgatev1.SnapshotStarted{}}})
					gateway.Cut()
				}
			case watchgate.Interrupted:
				discarded = event.SnapshotDiscarded
				if state.Len() != 1 {
					t.Error("the state was lost")
				}
			case watchgate.Resumed:
				return false
			}
			return true
		})
		if !discarded {
			t.Error("not said")
		}
		if token := string(gateway.Requests()[1].GetResumeToken()); token != "fake-101" {
			t.Errorf("resumed with %q", token)
		}
	})
}

func TestWatch_expiredPosition_snapshotMakesDifferencesOnly(t *testing.T) {
	for _, lose := range []func(*watchgatetest.FakeGateway){(*watchgatetest.FakeGateway).ExpireTokens, (*watchgatetest.FakeGateway).LoseHistory} {
		bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
			for _, name := range []string{"kept", "changed", "gone", "again"} {
				gateway.Put("shop", name, "1")
			}
			state, snapshots := watchgate.NewState(watchgate.Raw), 0
			var lines []string
			story(t.Context(), t, client, func(event watchgate.Event) bool {
				differences, err := state.Apply(event)
				if err != nil {
					t.Error(err)
				}
				switch event := event.(type) {
				case watchgate.SnapshotComplete:
					if snapshots++; snapshots == 2 {
						for _, difference := range differences {
							lines = append(lines, fmt.Sprintf("%s %s %s>%s", difference.Type, difference.Key, difference.Old, difference.New))
						}
						return false
					}
					gateway.Cut()
				case watchgate.Interrupted:
					gateway.Put("shop", "changed", "2")
					gateway.Delete("shop", "gone")
					gateway.Delete("shop", "again")
					gateway.Put("shop", "again", "1")
					lose(gateway)
				case watchgate.Reconnected:
					if event.Continuation != watchgate.FromSnapshot {
						t.Errorf("%+v", event)
					}
				}
				return true
			})
			slices.Sort(lines)
			expect(t, lines, "ADDED shop/again >1", "DELETED shop/again 1>", "DELETED shop/gone 1>", "MODIFIED shop/changed 1>2")
		})
	}
}

func TestWatch_stopEndsTheRange(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Refuse(codes.PermissionDenied, "ACCESS_DENIED", watchgate.Stop)
		var ends []error
		for event, err := range client.Watch(t.Context(), pods) {
			if event != nil {
				t.Errorf("%T", event)
			}
			ends = append(ends, err)
		}
		var failure *watchgate.StatusError
		if len(ends) != 1 || !errors.As(ends[0], &failure) {
			t.Fatal(ends)
		}
		if failure.Reason != "ACCESS_DENIED" || failure.Action != watchgate.Stop || failure.Code != codes.PermissionDenied || !failure.FromGateway() {
			t.Errorf("%+v", failure)
		}
		if got := status.Code(ends[0]); got != codes.PermissionDenied {
			t.Error(got)
		}
		if want := "watchgate: ACCESS_DENIED: refused by the test"; failure.Error() != want {
			t.Error(failure)
		}
	})
}

// Versions of another timeline say nothing: a restored cluster may never reach the one that was asked for.
func TestWatch_restart_beginsWithoutToken_andWithMinimumInTheSameHistory(t *testing.T) {
	for reason, minimum := range map[string]string{"POSITION_EXPIRED": "100", "HISTORY_LOST": ""} {
		bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
			snapshots := 0
			story(t.Context(), t, client, func(event watchgate.Event) bool {
				if _, ok := event.(watchgate.SnapshotComplete); ok {
					snapshots++
					gateway.EndAll(codes.OutOfRange, reason, watchgate.Restart)
				}
				return snapshots < 2
			}, watchgate.AtLeast("100"))
			if second := gateway.Requests()[1]; second.Start != nil || second.MinimumResourceVersion != minimum {
				t.Error(reason, second)
			}
		})
	}
}

func TestWatch_endsWithContextWithoutError(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		story(ctx, t, client, func(watchgate.Event) bool { return true },
			watchgate.WithDelivery(&watchgatev1.Delivery{LagPolicy: watchgatev1.LagPolicy_LAG_POLICY_CONFLATE}), watchgate.BookmarkInterval(5*time.Minute))
		if got := gateway.Requests()[0].Delivery; got.LagPolicy != watchgatev1.LagPolicy_LAG_POLICY_CONFLATE || got.BookmarkInterval.AsDuration() != 5*time.Minute {
			t.Error(got)
		}
		if ctx.Err() == nil {
			t.Error("ended before")
		}
	})
}

func TestWatch_closedClient_endsWithErrClosed(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		time.AfterFunc(time.Second, client.Close)
		var end error
		for _, err := range client.Watch(t.Context(), pods) {
			end = err
		}
		if !errors.Is(end, watchgate.ErrClosed) {
			t.Error(end)
		}
		if _, err := client.List(t.Context(), pods); !errors.Is(err, watchgate.ErrClosed) {
			t.Error(err)
		}
	})
}

func TestWatch_goingAway_isNoFailure(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		var waits []time.Duration
		var left time.Time
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				gateway.GoAway(time.Hour)
			case watchgate.Resumed:
				if event.Position.ResourceVersion != "100" {
					t.Error(event)
				}
				waits = append(waits, time.Since(left))
				gateway.GoAway(time.Hour)
			case watchgate.Interrupted:
				left = time.Now()
				var away *watchgate.GoingAwayError
				if !errors.As(event.Cause, &away) || event.Attempt != 1 {
					t.Errorf("%+v", event)
				}
			}
			return len(waits) < 20
		})
		slices.Sort(waits)
		if waits[0] > 30*time.Minute || waits[19] < 30*time.Minute || waits[19] > time.Hour+time.Second {
			t.Error("not at random moments within an hour:", waits)
		}
	})
}

func TestWatch_threeSilentIntervals_replaceTheStream(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		var last time.Time
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				time.Sleep(time.Minute) // of the program: no silence of the gateway
				gateway.Bookmark()
			case watchgate.Bookmark:
				last = time.Now()
			case watchgate.Interrupted:
				var silence *watchgate.SilenceError
				if waited := time.Since(last); !errors.As(event.Cause, &silence) || silence.Waited != 6*time.Second || waited != 6*time.Second {
					t.Errorf("%+v after %s", event, waited)
				}
				return false
			}
			return true
		}, watchgate.BookmarkInterval(2*time.Second))
	})
}

func TestWatch_backoffGrowsAndIsReset(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		longest := make([]time.Duration, 12)
		rounds := 0
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete, watchgate.Changes:
				rounds++
				gateway.Refuse(codes.Unavailable, "UPSTREAM_UNAVAILABLE", watchgate.Resume)
				gateway.Cut()
			case watchgate.Interrupted:
				bound := min(30*time.Second, 500*time.Millisecond<<(event.Attempt-1))
				if event.Delay > bound {
					t.Errorf("attempt %d waits %s", event.Attempt, event.Delay)
				}
				longest[event.Attempt-1] = max(longest[event.Attempt-1], event.Delay)
				if event.Attempt == len(longest) {
					gateway.Admit()
					gateway.Put("shop", "web", "{}")
				}
			}
			return rounds < 100
		})
		for i, wait := range longest {
			if bound := min(30*time.Second, 500*time.Millisecond<<i); wait < bound/2 {
				t.Errorf("attempt %d never waits more than %s", i+1, wait)
			}
		}
	})
}

func TestWatch_backoffIsResetByProgressOnly(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		var delays []time.Duration
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete, watchgate.Resumed:
				gateway.Cut()
			case watchgate.Interrupted:
				delays = append(delays, event.Delay)
			}
			return len(delays) < 100
		})
		if slices.Max(delays) < 10*time.Second {
			t.Error("a stream that only says that it resumed ends the row of failures")
		}
	})
}

func TestWatch_silentServers_failOver(t *testing.T) {
	replicas(t, 3, func(t *testing.T, gateways []*watchgatetest.FakeGateway, client *watchgate.Client) {
		for _, gateway := range gateways {
			gateway.Put("shop", "web", "{}")
		}
		resumed := 0
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete, watchgate.Resumed:
				for _, gateway := range gateways {
					if gateway.Streams() > 0 && resumed < 2 {
						gateway.Close()
					}
				}
			case watchgate.Reconnected:
				resumed++
				if event.Attempts != 1 || event.Outage > time.Second || event.Continuation != watchgate.FromPosition {
					t.Errorf("%+v", event)
				}
			}
			return resumed < 2
		})
		for _, gateway := range gateways {
			if requests := gateway.Requests(); len(requests) != 1 {
				t.Errorf("%d streams", len(requests))
			}
		}
	})
}

func TestNewClient_firstReplicaIsRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gateways := []*watchgatetest.FakeGateway{watchgatetest.Start(), watchgatetest.Start()}
		for range 64 {
			client, err := watchgatetest.NewClient(gateways)
			if err != nil {
				t.Fatal(err)
			}
			story(t.Context(), t, client, func(watchgate.Event) bool { return false })
			client.Close()
		}
		for _, gateway := range gateways {
			if requests := gateway.Requests(); len(requests) < 8 {
				t.Errorf("one of two has %d of 64 streams", len(requests))
			} else if features := requests[0].Features; !slices.Equal(features, []string{"replicas"}) {
				t.Error(features)
			}
			gateway.Close()
		}
	})
}

func TestWatch_groupTooLarge_takesASnapshot(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		snapshots := 0
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				snapshots++
				part := &watchgatev1.WatchEvent{
					Type: watchgatev1.EventType_EVENT_TYPE_ADDED, Key: &watchgatev1.ObjectKey{Name: "large"},
					Body: &watchgatev1.WatchEvent_Object{Object: make([]byte, 1<<20)}}
				gateway.Send(&watchgatev1.ListAndWatchResponse{Events: []*watchgatev1.WatchEvent{part}})
			case watchgate.Interrupted:
				var large *watchgate.GroupTooLargeError
				if !errors.As(event.Cause, &large) {
					t.Errorf("%+v", event)
				}
			}
			return snapshots < 2
		})
		if gateway.Requests()[1].Start != nil {
			t.Error("begins with a token")
		}
	}, watchgate.WithMaxGroupBytes(1<<20))
}

func TestWatch_eventThatWasNotAskedFor_takesASnapshot(t *testing.T) {
	events := []*watchgatev1.WatchEvent{
		{Type: watchgatev1.EventType_EVENT_TYPE_MODIFIED, Body: &watchgatev1.WatchEvent_Patch{Patch: &watchgatev1.ObjectPatch{}}},
		{Type: 99},
	}
	for _, event := range events {
		bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
			snapshots := 0
			story(t.Context(), t, client, func(received watchgate.Event) bool {
				if _, ok := received.(watchgate.SnapshotComplete); ok {
					snapshots++
					gateway.Send(&watchgatev1.ListAndWatchResponse{Events: []*watchgatev1.WatchEvent{event}, ResumeToken: []byte("fake-1")})
				}
				return snapshots < 2
			})
		})
	}
}

func TestWatch_snapshotsAfterUnusableEvents_becomeRarer(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		var delays []time.Duration
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				gateway.Send(&watchgatev1.ListAndWatchResponse{Events: []*watchgatev1.WatchEvent{{Type: 99}}, ResumeToken: []byte("fake-1")})
			case watchgate.Interrupted:
				delays = append(delays, event.Delay)
			}
			return len(delays) < 100
		})
		if slices.Max(delays) < 10*time.Second {
			t.Error("the snapshot after such an event ends the row of failures")
		}
	})
}

func TestWatch_panicOfTheProgram_closesTheStream(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		func() {
			defer func() { _ = recover() }()
			story(t.Context(), t, client, func(watchgate.Event) bool { panic("of the program") })
		}()
		if err := gateway.AwaitStreams(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
}

func TestWatch_refusedForAReason_waitsAsLongAsThatTakes(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Refuse(codes.Unavailable, "UPSTREAM_FORBIDDEN", watchgate.Resume)
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			interrupted, ok := event.(watchgate.Interrupted)
			if !ok || interrupted.Delay < 10*time.Second {
				t.Errorf("%+v", event)
			}
			return false
		})
	})
}

func TestWatch_replicaThatSendsStreamsAway_isLeftAtOnce(t *testing.T) {
	for _, reason := range []string{"REBALANCING", "DRAINING"} {
		replicas(t, 2, func(t *testing.T, gateways []*watchgatetest.FakeGateway, client *watchgate.Client) {
			gateways[0].Refuse(codes.Unavailable, reason, watchgate.Resume)
			for range 20 {
				story(t.Context(), t, client, func(event watchgate.Event) bool {
					switch event := event.(type) {
					case watchgate.Interrupted:
						if event.Delay > 500*time.Millisecond || reason == "REBALANCING" && event.Delay > 0 {
							t.Errorf("waits %s", event.Delay)
						}
					case watchgate.SnapshotComplete:
						return false
					}
					return true
				})
			}
			// At most once: while it sends streams away, the other one is preferred.
			if got := len(gateways[0].Requests()); got > 1 {
				t.Errorf("%d streams at the replica that is skipped", got)
			}
		})
	}
}

func TestWatch_resumedStream_doesNotWaitForTheMinimum(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			if _, ok := event.(watchgate.SnapshotComplete); ok {
				gateway.Cut()
			}
			_, resumed := event.(watchgate.Resumed)
			return !resumed
		}, watchgate.AtLeast("100"))
		requests := gateway.Requests()
		if requests[0].MinimumResourceVersion != "100" || requests[1].MinimumResourceVersion != "" {
			t.Error(requests)
		}
	})
}

func TestWatch_drainingReplica_isLeftForAWhile(t *testing.T) {
	replicas(t, 2, func(t *testing.T, gateways []*watchgatetest.FakeGateway, client *watchgate.Client) {
		open := func() int {
			story(t.Context(), t, client, func(watchgate.Event) bool { return false })
			return len(gateways[0].Requests())
		}
		for open() == 0 {
		}
		going := &watchgatev1.ListAndWatchResponse{Signal: &watchgatev1.ListAndWatchResponse_GoingAway{GoingAway: &watchgatev1.GoingAway{
			Reason: watchgatev1.GoingAwayReason_GOING_AWAY_REASON_DRAINING}}}
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			if _, ok := event.(watchgate.SnapshotComplete); ok {
				if gateways[0].Streams() == 0 {
					gateways[1].Cut() // to the other one
					return true
				}
				gateways[0].Send(going)
			}
			if _, ok := event.(watchgate.Resumed); ok && gateways[0].Streams() > 0 {
				gateways[0].Send(going)
				return true
			}
			interrupted, ok := event.(watchgate.Interrupted)
			if !ok {
				return true
			}
			_, left := interrupted.Cause.(*watchgate.GoingAwayError)
			return !left
		})
		before := len(gateways[0].Requests())
		for range 20 {
			if open() != before {
				t.Fatal("a stream at the replica that drains")
			}
		}
		time.Sleep(31 * time.Second)
		if open(); open() == before {
			t.Error("the replica is left for ever")
		}
	})
}

func TestWatch_incompleteChangesBeforeASnapshot_areDropped(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		stale := &watchgatev1.WatchEvent{Type: watchgatev1.EventType_EVENT_TYPE_ADDED, Key: &watchgatev1.ObjectKey{Namespace: "shop", Name: "stale"}}
		snapshots := 0
		lines := story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event.(type) {
			case watchgate.SnapshotComplete:
				if snapshots++; snapshots == 1 {
					gateway.Send(&watchgatev1.ListAndWatchResponse{Events: []*watchgatev1.WatchEvent{stale}})
					gateway.LoseHistory()
				} else {
					gateway.Put("shop", "web", "{}")
				}
			case watchgate.Changes:
				return false
			}
			return true
		})
		expect(t, lines, "BEGUN", "COMPLETE", "BEGUN", "COMPLETE", "ADDED shop/web")
	})
}

func TestWatch_fromVersion_hasTheChangesAfterIt(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		from := gateway.Put("shop", "before", "{}")
		gateway.Put("shop", "web", "{}")
		changes := 0
		lines := story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event.(type) {
			case watchgate.Changes:
				changes++
				gateway.Cut()
			case watchgate.Interrupted:
				gateway.Put("shop", "after", "{}")
			}
			return changes < 2
		}, watchgate.FromVersion(from))
		expect(t, lines, "RESUMED", "ADDED shop/web", "INTERRUPTED", "RECONNECTED 1", "RESUMED", "ADDED shop/after")
		if requests := gateway.Requests(); requests[0].GetResourceVersion() != from || len(requests[1].GetResumeToken()) == 0 {
			t.Errorf("the streams began at %v and %v", requests[0].Start, requests[1].Start)
		}
	})
}

func TestWatch_fromExpiredVersion_isSaid(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		from := gateway.Put("shop", "before", "{}")
		gateway.ExpireTokens()
		var cause *watchgate.StatusError
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			interrupted, ok := event.(watchgate.Interrupted)
			return !ok || !errors.As(interrupted.Cause, &cause)
		}, watchgate.WithDelivery(&watchgatev1.Delivery{
			ExpiredPositionPolicy: watchgatev1.ExpiredPositionPolicy_EXPIRED_POSITION_POLICY_FAIL}), watchgate.FromVersion(from))
		if cause == nil || cause.Reason != "POSITION_EXPIRED" || cause.Action != watchgate.Restart {
			t.Errorf("ended with %v", cause)
		}
	})
}
