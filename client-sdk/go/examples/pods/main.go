package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	watchgate "watchgate.io/client"
)

// Pod has the fields of a pod that this program reads.
type Pod struct {
	Spec   struct{ NodeName string }
	Status struct{ Phase string }
}

func main() {
	client, err := watchgate.NewClient([]string{"127.0.0.1:7443"})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pods := watchgate.Reflect(ctx, client, watchgate.Selection{Resource: "pods", Namespaces: []string{"shop"}}, watchgate.JSON[Pod])
	first, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if pods.Synced(first) != nil && pods.Interruption() != nil {
		log.Print("no pods yet: ", pods.Interruption())
	}
	for change := range pods.Changes(ctx) {
		pod := change.New
		if change.Type == watchgate.Deleted {
			pod = change.Old // New is zero
		}
		fmt.Println(change.Type, change.Key, pod.Spec.NodeName, pod.Status.Phase)
	}
	if ctx.Err() == nil {
		log.Fatal(pods.Err())
	}
}
