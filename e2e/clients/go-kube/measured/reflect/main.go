// Command reflect holds all pods in a store of the Go module that reads from a gateway, for a benchmark:
//
//	reflect PODS HOST:PORT CA
package main

import (
	"context"
	"log"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	watchgate "watchgate.io/client"
	"watchgate.io/e2e/clients/go-kube/measured"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(count, server, ca string) error {
	pods, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	client, err := watchgate.NewClient([]string{server}, watchgate.WithCAFile(ca))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx := context.Background()
	store := watchgate.Reflect(ctx, client, watchgate.Selection{Resource: "pods"}, watchgate.JSON[corev1.Pod])
	events := measured.NewEvents(pods)
	go func() {
		for range store.Changes(ctx) {
			events.Add()
		}
		log.Fatal(store.Err())
	}()
	return events.Serve(func() bool { return store.Synced(ctx) == nil })
}
