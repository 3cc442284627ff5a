// Package watchgate is a client of Watchgate, a gateway between a Kubernetes apiserver and the programs that watch it.
//
// [Reflect] keeps a typed store of the objects that match a selection:
//
//	client, err := watchgate.NewClient([]string{"gateway:7443"})
//	pods := watchgate.Reflect(ctx, client, watchgate.Selection{Resource: "pods"}, watchgate.JSON[Pod])
//	for change := range pods.Changes(ctx) {
//		fmt.Println(change.Type, change.Key, change.New.Status.Phase)
//	}
//
// [Client.Watch] gives the events themselves, for programs that keep state and position by themselves. Both continue after a restart of
// the gateway, a failover and a broken connection, and miss nothing: what no gateway can replay any more is replaced by a snapshot. A watch ends by
// itself only if the gateway says STOP, for example because the caller may not read the type, or if no gateway ever answers where other servers do.
//
// A [Client] may be used by several goroutines. It starts no goroutines but those of gRPC; a store has one. Package watchgatetest has a gateway
// for tests.
package watchgate
