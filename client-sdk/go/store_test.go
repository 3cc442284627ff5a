package watchgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatetest"
	"watchgate.io/client/watchgatev1"
)

type pod struct {
	Node  string
	Phase string
}

func reflectPods(t *testing.T, client *watchgate.Client, options ...watchgate.StoreOption[pod]) *watchgate.Store[pod] {
	return watchgate.Reflect(t.Context(), client, pods, watchgate.JSON[pod], options...)
}

func TestStore_followsObjects(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", `{"node":"n1"}`)
		gateway.Put("shop", "api", `{"node":"n2"}`)
		store := reflectPods(t, client, watchgate.WithIndex("node", func(p pod) []string { return []string{p.Node} }))
		defer store.Close()
		if err := store.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, ok := store.Get(watchgate.Key{Namespace: "shop", Name: "web"}); !ok || got.Node != "n1" {
			t.Error(got, ok)
		}
		if _, ok := store.Get(watchgate.Key{Namespace: "shop", Name: "none"}); ok {
			t.Error("an object that does not exist")
		}
		if len(store.List()) != 2 || store.Len() != 2 {
			t.Error(store.List())
		}
		gateway.Put("shop", "web", `{"node":"n2","phase":"Running"}`)
		deleted := gateway.Delete("shop", "api")
		if err := store.WaitAtLeast(t.Context(), deleted); err != nil {
			t.Fatal(err)
		}
		objects, version := store.Snapshot()
		if want := map[watchgate.Key]pod{{Namespace: "shop", Name: "web"}: {"n2", "Running"}}; !maps.Equal(objects, want) || version != deleted {
			t.Error(objects, version)
		}
		if got := store.ByIndex("node", "n2"); !slices.Equal(got, []pod{{"n2", "Running"}}) {
			t.Error(got)
		}
		if got := store.ByIndex("node", "n1"); len(got) != 0 {
			t.Error(got)
		}
	})
}

func TestStore_unknownIndex_panics(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		store := reflectPods(t, client)
		defer store.Close()
		defer func() {
			if got := fmt.Sprint(recover()); got != "watchgate: the store has no index node; make it with WithIndex" {
				t.Error(got)
			}
		}()
		store.ByIndex("node", "n1")
	})
}

func TestStore_refused_saysWhy(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Refuse(codes.NotFound, "TYPE_UNKNOWN", watchgate.Stop)
		store := reflectPods(t, client)
		defer store.Close()
		var failure *watchgate.StatusError
		if err := store.Synced(t.Context()); !errors.As(err, &failure) || failure.Reason != "TYPE_UNKNOWN" {
			t.Error(err)
		}
		for range store.Changes(t.Context()) {
			t.Error("a change")
		}
		if !errors.Is(store.Err(), failure) {
			t.Error(store.Err())
		}
	})
}

func TestStore_whileNoGatewayAnswers_keepsItsState(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "{}")
		store := reflectPods(t, client)
		defer store.Close()
		if err := store.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		gateway.Refuse(codes.Unavailable, "", watchgate.Resume)
		gateway.Cut()
		time.Sleep(time.Hour)
		if store.Len() != 1 || store.Interruption() == nil || store.Err() != nil {
			t.Error(store.Len(), store.Interruption(), store.Err())
		}
		gateway.Admit()
		if err := store.WaitAtLeast(t.Context(), gateway.Put("shop", "api", "{}")); err != nil {
			t.Fatal(err)
		}
		if store.Len() != 2 || store.Interruption() != nil {
			t.Error(store.Len(), store.Interruption())
		}
	})
}

func TestStore_waitEndsWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		store := reflectPods(t, client)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := store.WaitAtLeast(ctx, "99999999999999999999999999"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		for _, version := range []string{"", "-1", "12x"} {
			if err := store.WaitAtLeast(ctx, version); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%q: %v", version, err)
			}
		}
		store.Close()
		if err := store.WaitAtLeast(t.Context(), "99999999999999999999999999"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestStore_versionsAreNumbersOfAnyLength(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		store := reflectPods(t, client)
		defer store.Close()
		if err := store.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		gateway.Send(&watchgatev1.ListAndWatchResponse{ResourceVersion: "18446744073709551617", ResumeToken: []byte("fake-101"),
			Signal: &watchgatev1.ListAndWatchResponse_Bookmark{Bookmark: &watchgatev1.Bookmark{}}})
		for _, version := range []string{"9", "100", "00100", "18446744073709551616", "18446744073709551617"} {
			if err := store.WaitAtLeast(t.Context(), version); err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := store.WaitAtLeast(ctx, "18446744073709551618"); err == nil {
			t.Error("waits too little")
		}
	})
}

func TestStore_undecodableObject_endsIt(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", `{"node":7}`)
		store := reflectPods(t, client)
		defer store.Close()
		var fault *watchgate.DecodeError
		var of *json.UnmarshalTypeError
		if err := store.Synced(t.Context()); err != nil && !errors.As(err, &fault) {
			t.Error(err)
		}
		for range store.Changes(t.Context()) {
		}
		if err := store.Err(); !errors.As(err, &fault) || fault.Key.Name != "web" || !errors.As(err, &of) {
			t.Error(err)
		}
	})
}

func TestStore_skippedObject_isReportedAndKeptAsItWas(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "bad", `{"node":7}`)
		gateway.Put("shop", "web", `{"node":"n1"}`)
		var faults []string
		store := reflectPods(t, client, watchgate.SkipUndecodable[pod](func(fault *watchgate.DecodeError) {
			faults = append(faults, fault.Key.Name+" "+fault.ResourceVersion)
		}))
		defer store.Close()
		if err := store.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		gateway.Put("shop", "web", `[]`)
		gateway.Delete("shop", "bad")
		if err := store.WaitAtLeast(t.Context(), gateway.Put("shop", "good", `{}`)); err != nil {
			t.Fatal(err)
		}
		if got := store.List(); !slices.Contains(got, pod{Node: "n1"}) || len(got) != 2 {
			t.Error(got)
		}
		expect(t, faults, "bad 101", "web 103")
	})
}

func TestStore_omittedObject_isNoObjectForJSON(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		raw := watchgate.Reflect(t.Context(), client, pods, watchgate.Raw)
		defer raw.Close()
		store := reflectPods(t, client)
		defer store.Close()
		if err := errors.Join(raw.Synced(t.Context()), store.Synced(t.Context())); err != nil {
			t.Fatal(err)
		}
		gateway.Send(&watchgatev1.ListAndWatchResponse{ResourceVersion: "101", ResumeToken: []byte("fake-101"),
			Events: []*watchgatev1.WatchEvent{{Type: watchgatev1.EventType_EVENT_TYPE_ADDED, Key: &watchgatev1.ObjectKey{Name: "large"},
				Body: &watchgatev1.WatchEvent_Omitted{Omitted: &watchgatev1.BodyOmitted{Size: 5 << 20}}}}})
		if err := raw.WaitAtLeast(t.Context(), "101"); err != nil || raw.Len() != 1 {
			t.Error(err, raw.Len())
		}
		if err := store.WaitAtLeast(t.Context(), "101"); err != nil && !errors.Is(err, watchgate.ErrOmitted) {
			t.Error(err)
		}
		synctest.Wait()
		if err := store.Err(); !errors.Is(err, watchgate.ErrOmitted) {
			t.Error(err)
		}
	})
}

// The differences that a reader gets make the same state as the gateway's, over lost connections and snapshots, however slowly it reads. They
// never repeat and never skip a deletion between two objects of a name.
func TestStore_changesOfSlowReader_makeTheState(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		random := rand.New(rand.NewPCG(seed, 0))
		store := watchgate.Reflect(t.Context(), client, pods, watchgate.Raw)
		defer store.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		want, read, uids := map[watchgate.Key]string{}, map[watchgate.Key]string{}, map[watchgate.Key]string{}
		var pause atomic.Int64
		go func() {
			for change := range store.Changes(ctx) {
				held, ok := read[change.Key]
				isRight := false
				switch change.Type {
				case watchgate.Added:
					isRight = !ok
				case watchgate.Modified:
					isRight = ok && held == string(change.Old) && uids[change.Key] == change.UID
				case watchgate.Deleted:
					isRight = ok && held == string(change.Old) && uids[change.Key] == change.UID
				}
				if !isRight {
					t.Errorf("%+v after %q", change, held)
				}
				delete(read, change.Key)
				if change.Type != watchgate.Deleted {
					read[change.Key], uids[change.Key] = string(change.New), change.UID
				}
				time.Sleep(time.Duration(pause.Load()))
			}
		}()
		for round := range 300 {
			pause.Store(random.Int64N(3) * int64(time.Second))
			for range random.IntN(30) {
				key := watchgate.Key{Namespace: "shop", Name: fmt.Sprint("pod-", random.IntN(8))}
				if _, ok := want[key]; ok && random.IntN(3) == 0 {
					gateway.Delete(key.Namespace, key.Name)
					delete(want, key)
				} else {
					want[key] = fmt.Sprint(round, random.IntN(5))
					gateway.Put(key.Namespace, key.Name, want[key])
				}
			}
			switch random.IntN(5) {
			case 0:
				gateway.Cut()
			case 1:
				gateway.ExpireTokens()
				gateway.Cut()
			case 2:
				gateway.LoseHistory()
			}
			if random.IntN(3) == 0 {
				time.Sleep(time.Duration(random.IntN(20)) * time.Second)
			}
		}
		pause.Store(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		if !maps.Equal(read, want) {
			t.Errorf("read %v\nwant %v", read, want)
		}
		if store.Len() != len(want) {
			t.Errorf("%d objects, not %d", store.Len(), len(want))
		}
	})
}

func TestStore_readerThatDoesNotRead_keepsTwoDifferencesOfAnObject(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "0")
		store := watchgate.Reflect(t.Context(), client, pods, watchgate.Raw)
		defer store.Close()
		var got []string
		for change := range store.Changes(t.Context()) {
			got = append(got, fmt.Sprintf("%s %s>%s", change.Type, change.Old, change.New))
			if len(got) == 1 {
				for i := range 1000 {
					gateway.Put("shop", "web", fmt.Sprint(i))
					gateway.Delete("shop", "web")
					gateway.Put("shop", "web", fmt.Sprint(i))
					gateway.Put("shop", "other", fmt.Sprint(i))
					gateway.Delete("shop", "other")
				}
				if err := store.WaitAtLeast(t.Context(), gateway.Put("shop", "last", "")); err != nil {
					t.Fatal(err)
				}
			}
			if len(got) == 4 {
				break
			}
		}
		expect(t, got, "ADDED >0", "DELETED 0>", "ADDED >999", "ADDED >")
	})
}

func TestState_withoutSnapshot_tellsChangesOfObjectsThatItNeverHad(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "1")
		gateway.Put("shop", "api", "1")
		state := watchgate.NewState(watchgate.Raw)
		var got []string
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			differences, _ := state.Apply(event)
			for _, difference := range differences {
				got = append(got, fmt.Sprintf("%s %s %s>%s", difference.Type, difference.Key, difference.Old, difference.New))
			}
			if _, ok := event.(watchgate.Resumed); ok {
				gateway.Put("shop", "web", "2")
				gateway.Delete("shop", "api")
			}
			return len(got) < 2
		}, watchgate.FromNow())
		expect(t, got, "MODIFIED shop/web >2", "DELETED shop/api 1>")
	})
}

func TestStore_leftAtRandomMoments_leavesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		for i := range 100 {
			gateway.Put("shop", fmt.Sprint("pod-", i), "{}")
		}
		for i := range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			store := watchgate.Reflect(ctx, client, pods, watchgate.Raw)
			left := 0
			for range store.Changes(ctx) {
				if left++; left > i {
					break
				}
			}
			cancel()
		}
		if err := gateway.AwaitStreams(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
}

func TestStore_skippedObjectOfASnapshot_isKeptAsItWas(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "same", `{"node":"n1"}`)
		gateway.Put("shop", "other", `{"node":"n2"}`)
		faults := 0
		store := reflectPods(t, client, watchgate.SkipUndecodable[pod](func(*watchgate.DecodeError) { faults++ }))
		defer store.Close()
		if err := store.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		gateway.Refuse(codes.Unavailable, "", watchgate.Resume)
		gateway.Cut()
		synctest.Wait()
		gateway.Put("shop", "same", `[]`)
		gateway.Delete("shop", "other")
		gateway.Put("shop", "other", `[]`)
		gateway.ExpireTokens()
		gateway.Admit()
		if err := store.WaitAtLeast(t.Context(), gateway.ResourceVersion()); err != nil {
			t.Fatal(err)
		}
		if got := store.List(); !slices.Equal(got, []pod{{Node: "n1"}}) || faults != 2 {
			t.Error(got, faults)
		}
	})
}

// Under the same version an object may be served in another form, after its definition changed.
func TestState_snapshotWithAnotherFormOfAVersion_isADifference(t *testing.T) {
	state := watchgate.NewState(watchgate.Raw)
	snapshot := func(body string) []watchgate.Difference[json.RawMessage] {
		var all []watchgate.Difference[json.RawMessage]
		object := watchgate.Change{Type: watchgate.Added, Key: watchgate.Key{Name: "web"}, UID: "u", ResourceVersion: "1", Object: []byte(body)}
		for _, event := range []watchgate.Event{
			watchgate.SnapshotBegun{}, watchgate.SnapshotObjects{Objects: []watchgate.Change{object}}, watchgate.SnapshotComplete{}} {
			differences, err := state.Apply(event)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, differences...)
		}
		return all
	}
	for i, want := range []int{1, 0, 1} {
		if got := snapshot([]string{"1", "1", "2"}[i]); len(got) != want {
			t.Errorf("snapshot %d: %v", i, got)
		}
	}
}

func TestState_changeOfAnObjectWithAnotherUID_isADeletionAndAnObject(t *testing.T) {
	state := watchgate.NewState(watchgate.Raw)
	var got []string
	apply := func(event watchgate.Event) {
		differences, err := state.Apply(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, difference := range differences {
			got = append(got, fmt.Sprintf("%s %s %s>%s", difference.Type, difference.UID, difference.Old, difference.New))
		}
	}
	apply(watchgate.SnapshotBegun{})
	apply(watchgate.SnapshotComplete{})
	for _, uid := range []string{"one", "two"} {
		object := watchgate.Change{Type: watchgate.Modified, Key: watchgate.Key{Name: "web"}, UID: uid, ResourceVersion: "1", Object: []byte(uid)}
		apply(watchgate.Changes{Changes: []watchgate.Change{object}})
	}
	expect(t, got, "ADDED one >one", "DELETED one one>", "ADDED two >two")
}
