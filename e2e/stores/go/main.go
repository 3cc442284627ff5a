// Command stores prints each state of several stores of the Go module, for a judge: e2e/stores/README.md has its lines.
package main

import (
	"context"
	"encoding/json"
	"log"
	"math/big"
	"os"
	"os/signal"
	"sync"
	"syscall"

	watchgate "watchgate.io/client"
)

type request struct {
	Servers []string
	Stores  []struct {
		Resource, Group string
		Namespaces      []string
		Labels, Fields  string
		View            string
	}
}

type state struct {
	Store           int      `json:"store"`
	ResourceVersion string   `json:"resourceVersion"`
	Changed         []string `json:"changed"`
	Gone            []string `json:"gone"`
}

var views = map[string]watchgate.View{"FULL": watchgate.ViewFull, "METADATA": watchgate.ViewMetadata}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var request request
	if err := json.Unmarshal([]byte(os.Args[1]), &request); err != nil {
		log.Fatal(err)
	}
	client, err := watchgate.NewClient(request.Servers)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	out := printer{lines: json.NewEncoder(os.Stdout)}
	var followers sync.WaitGroup
	for number, one := range request.Stores {
		selection := watchgate.Selection{
			Resource: one.Resource, Group: one.Group, Namespaces: one.Namespaces, Labels: one.Labels, Fields: one.Fields, View: views[one.View],
		}
		followers.Go(func() { follow(ctx, client, number, selection, &out) })
	}
	followers.Wait()
}

// follow prints the differences between the states of a store, each at its version.
func follow(ctx context.Context, client *watchgate.Client, number int, selection watchgate.Selection, out *printer) {
	store := watchgate.Reflect(ctx, client, selection, func(change watchgate.Change) (string, error) { return string(change.Object), nil })
	defer store.Close()
	before := map[watchgate.Key]string{}
	err := store.Synced(ctx)
	for err == nil {
		objects, version := store.Snapshot()
		state := state{Store: number, ResourceVersion: version, Changed: []string{}, Gone: []string{}}
		for key := range before {
			if _, isHeld := objects[key]; !isHeld {
				state.Gone = append(state.Gone, key.String())
			}
		}
		for key, object := range objects {
			if before[key] != object {
				state.Changed = append(state.Changed, object)
			}
		}
		out.print(state)
		before = objects
		next, _ := new(big.Int).SetString(version, 10)
		err = store.WaitAtLeast(ctx, next.Add(next, big.NewInt(1)).String())
	}
	if ctx.Err() == nil {
		out.print(map[string]any{"store": number, "error": err.Error()})
	}
}

// printer prints lines of several goroutines.
type printer struct {
	mu    sync.Mutex
	lines *json.Encoder
}

func (p *printer) print(line any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.lines.Encode(line); err != nil {
		log.Fatal(err)
	}
}
