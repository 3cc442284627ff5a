package watchgate_test

import (
	"context"
	"fmt"

	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatetest"
)

// A store of decoded objects, and the differences that it makes.
func ExampleReflect() {
	gateway := watchgatetest.Start()
	defer gateway.Close()
	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	gateway.Put("shop", "web", `{"phase":"Pending"}`)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type pod struct{ Phase string }
	pods := watchgate.Reflect(ctx, client, watchgate.Selection{Resource: "pods"}, watchgate.JSON[pod])
	defer pods.Close()
	for change := range pods.Changes(ctx) {
		fmt.Println(change.Type, change.Key, change.Old.Phase, "to", change.New.Phase)
		if change.New.Phase == "Running" {
			break
		}
		gateway.Put("shop", "web", `{"phase":"Running"}`)
	}
	// Output:
	// ADDED shop/web  to Pending
	// MODIFIED shop/web Pending to Running
}

// The events of a watch, for a program that keeps state and position by itself.
func ExampleClient_Watch() {
	gateway := watchgatetest.Start()
	defer gateway.Close()
	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	gateway.Put("shop", "web", `{}`)

	state := watchgate.NewState(watchgate.Raw)
	for event, err := range client.Watch(context.Background(), watchgate.Selection{Resource: "pods"}) {
		if err != nil {
			fmt.Println(err) // STOP: a person has to correct something
			return
		}
		differences, err := state.Apply(event)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, difference := range differences {
			fmt.Println(difference.Type, difference.Key, string(difference.New))
		}
		if _, ok := event.(watchgate.SnapshotComplete); ok {
			fmt.Println("all objects at version", state.Position().ResourceVersion)
			break
		}
	}
	// Output:
	// ADDED shop/web {}
	// all objects at version 101
}
