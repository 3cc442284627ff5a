package watchgate_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	watchgate "watchgate.io/client"
)

// realServers returns the addresses of gateways with configmaps, which the build names.
func realServers(t *testing.T) []string {
	servers := os.Getenv("WATCHGATE_TEST_SERVERS")
	if servers == "" {
		t.Skip("WATCHGATE_TEST_SERVERS names no gateway")
	}
	return strings.Split(servers, ",")
}

func TestRealGateway_loopsLeftAtRandomMoments_leaveNoGoroutine(t *testing.T) {
	servers := realServers(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	loops := 1000
	if count, err := strconv.Atoi(os.Getenv("WATCHGATE_TEST_LOOPS")); err == nil {
		loops = count
	}
	client, err := watchgate.NewClient(servers)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	selection := watchgate.Selection{Resource: "configmaps"}
	for range servers { // connects to each of them
		for event, err := range client.Watch(t.Context(), selection) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := event.(watchgate.Opened); ok {
				break
			}
		}
	}
	awaitGoroutines(t, func() bool { return streamGoroutines() == 0 })
	before, events := runtime.NumGoroutine(), 0
	for loop := range loops {
		// Every second loop is left after one or two events, which always come, so that many begin, however busy the machine is.
		limit, most := time.Hour, random.IntN(2)
		if loop%2 == 0 {
			limit, most = time.Duration(random.Int64N(int64(20*time.Millisecond))), random.IntN(12)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		for _, err := range client.Watch(ctx, selection) {
			if err != nil {
				t.Fatal(err)
			}
			if events++; most == 0 {
				break
			}
			most--
		}
		cancel()
	}
	awaitGoroutines(t, func() bool { return streamGoroutines() == 0 && runtime.NumGoroutine() <= before })
	if events < loops/2 {
		t.Errorf("%d events in %d loops: nothing was tested", events, loops)
	}
	if list, err := client.List(t.Context(), selection); err != nil || len(list.Objects) == 0 {
		t.Error(err)
	}
}

// streamGoroutines returns the number of goroutines that belong to streams.
func streamGoroutines() int {
	var stacks strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	return strings.Count(stacks.String(), "created by google.golang.org/grpc.newClientStream")
}

func awaitGoroutines(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			t.Fatalf("%d goroutines, %d of them of streams", runtime.NumGoroutine(), streamGoroutines())
		}
	}
}

func TestRealGateway_storeEqualsList(t *testing.T) {
	client, err := watchgate.NewClient(realServers(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	// Other tests of the build write into other namespaces.
	selection := watchgate.Selection{Resource: "configmaps", Namespaces: []string{os.Getenv("WATCHGATE_TEST_NAMESPACE")}}
	list, err := client.List(t.Context(), selection)
	if err != nil {
		t.Fatal(err)
	}
	store := watchgate.Reflect(t.Context(), client, selection, watchgate.Raw)
	defer store.Close()
	if err := errors.Join(store.Synced(t.Context()), store.WaitAtLeast(t.Context(), list.Position.ResourceVersion)); err != nil {
		t.Fatal(err)
	}
	if store.Len() != len(list.Objects) {
		t.Errorf("%d objects, not %d", store.Len(), len(list.Objects))
	}
	for _, object := range list.Objects {
		if held, ok := store.Get(object.Key); !ok || string(held) != string(object.Object) {
			t.Errorf("%s: %s, not %s", object.Key, held, object.Object)
		}
	}
	types, err := client.Types(t.Context())
	if err != nil || len(types) == 0 {
		t.Error(types, err)
	}
}
