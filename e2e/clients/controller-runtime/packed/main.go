// A program with all modules: it reads the pods by each of them, prints whether there are some, and ends.
//
//	packed HOST:PORT URL
//
// The arguments are the address of a gateway and that of its Kubernetes read API.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	watchgate "watchgate.io/client"
	"watchgate.io/client/kube"
	"watchgate.io/client/kube/ctrlcache"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, grpc, url string) error {
	client, err := watchgate.NewClient([]string{grpc})
	if err != nil {
		return err
	}
	defer client.Close()
	listed, err := client.List(ctx, watchgate.Selection{Resource: "pods"})
	if err != nil {
		return err
	}
	config := &rest.Config{Host: url}
	through, err := kube.Transport(config)
	if err != nil {
		return err
	}
	wrapped := rest.CopyConfig(config)
	wrapped.Wrap(through)
	typed, err := kubernetes.NewForConfig(wrapped)
	if err != nil {
		return err
	}
	pods, err := typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	cached, err := podsOfCache(ctx, config)
	if err != nil {
		return err
	}
	fmt.Printf("core %t, kube %t, ctrlcache %t\n", len(listed.Objects) > 0, len(pods.Items) > 0, len(cached.Items) > 0)
	return nil
}

func podsOfCache(ctx context.Context, config *rest.Config) (*corev1.PodList, error) {
	newCache, err := ctrlcache.New(config)
	if err != nil {
		return nil, err
	}
	held, err := newCache(config, cache.Options{})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- held.Start(ctx) }()
	pods := &corev1.PodList{}
	if held.WaitForCacheSync(ctx) { // has started
		err = held.List(ctx, pods) // waits for the informer of pods
	}
	stop()
	if failed := <-ended; err == nil {
		err = failed
	}
	return pods, err
}
