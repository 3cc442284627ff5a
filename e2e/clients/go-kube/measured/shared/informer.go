// Package shared runs a shared informer for a benchmark.
package shared

import (
	"context"

	"k8s.io/client-go/tools/cache"
	"watchgate.io/e2e/clients/go-kube/measured"
)

// Serve runs an informer and answers for it until stdin ends.
func Serve(informer cache.SharedIndexInformer, pods int) error {
	events := measured.NewEvents(pods)
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { events.Add() },
		UpdateFunc: func(any, any) { events.Add() },
		DeleteFunc: func(any) { events.Add() },
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go informer.Run(ctx.Done())
	return events.Serve(registered.HasSynced)
}
