// Command listerwatcher holds all pods in a shared informer of client-go that reads from a gateway over gRPC, for a benchmark:
//
//	listerwatcher PODS HOST:PORT CA
package main

import (
	"log"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	watchgate "watchgate.io/client"
	"watchgate.io/client/kube"
	"watchgate.io/e2e/clients/go-kube/measured/shared"
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
	source := kube.NewListerWatcher[*corev1.Pod](client, watchgate.Selection{Resource: "pods"})
	return shared.Serve(cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{}), pods)
}
