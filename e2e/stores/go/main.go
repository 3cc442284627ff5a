// Command stores prints the states and changes of several stores of the Go module, for a judge: e2e/stores/README.md has its lines.
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
	Servers         []string
	ChangesOfReader int
	Stores          []struct {
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

type begin struct {
	Store  int `json:"store"`
	Reader int `json:"reader"`
}

type change struct {
	begin

	Key string  `json:"key"`
	Old *string `json:"old"`
	New *string `json:"new"`
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
		followers.Go(func() { follow(ctx, client, number, selection, request.ChangesOfReader, &out) })
	}
	followers.Wait()
}

// follow prints the states and the changes of a store.
func follow(ctx context.Context, client *watchgate.Client, number int, selection watchgate.Selection, changesOfReader int, out *printer) {
	store := watchgate.Reflect(ctx, client, selection, func(change watchgate.Change) (string, error) { return string(change.Object), nil })
	defer store.Close()
	if changesOfReader > 0 {
		go printChanges(ctx, store, number, changesOfReader, out)
	}
	err := printStates(ctx, store, number, out)
	if ctx.Err() == nil {
		out.print(map[string]any{"store": number, "error": err.Error()})
	}
}

// printStates prints the differences between the states of a store, each at its version.
func printStates(ctx context.Context, store *watchgate.Store[string], number int, out *printer) error {
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
	return err
}

// printChanges prints the changes of readers, one after the other: each is left after a number of changes to objects that it has.
func printChanges(ctx context.Context, store *watchgate.Store[string], number, changesOfReader int, out *printer) {
	for reader := 1; ctx.Err() == nil && store.Err() == nil; reader++ {
		out.print(begin{number, reader})
		left := changesOfReader
		for difference := range store.Changes(ctx) {
			line := change{begin: begin{number, reader}, Key: difference.Key.String()}
			if difference.Type != watchgate.Added {
				line.Old = &difference.Old
				left--
			}
			if difference.Type != watchgate.Deleted {
				line.New = &difference.New
			}
			out.print(line)
			if left == 0 {
				break
			}
		}
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
