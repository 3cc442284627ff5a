package kube_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchgate "watchgate.io/client"
	"watchgate.io/client/kube"
	"watchgate.io/client/watchgatetest"
)

// A controller in a cluster whose informers read through a gateway; its writes go to the apiserver.
func ExampleTransport() {
	config, err := rest.InClusterConfig()
	if err != nil {
		log.Fatal(err)
	}
	through, err := kube.Transport(&rest.Config{
		Host:            "https://watchgate.watchgate.svc",
		TLSClientConfig: rest.TLSClientConfig{CAFile: "/etc/watchgate/ca.crt"},
	})
	if err != nil {
		log.Fatal(err)
	}
	config.Wrap(through)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	_ = client // for informers and writes, as before
}

// An informer over gRPC.
func ExampleNewListerWatcher() {
	gateway := watchgatetest.Start()
	defer gateway.Close()
	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	gateway.Put("shop", "web", `{"metadata":{"namespace":"shop","name":"web","resourceVersion":"101"},"status":{"phase":"Running"}}`)

	pods := kube.NewListerWatcher[*corev1.Pod](client, watchgate.Selection{Resource: "pods"})
	informer := cache.NewSharedIndexInformer(pods, &corev1.Pod{}, 0, cache.Indexers{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go informer.Run(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		pod, _, _ := informer.GetStore().GetByKey("shop/web")
		fmt.Println(pod.(*corev1.Pod).Status.Phase)
	}
	// Output: Running
}
