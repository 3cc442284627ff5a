// Command informer holds all pods in a typed shared informer of client-go with its default settings, for a benchmark:
//
//	informer [--json] PODS KUBECONFIG
//
// The default is protobuf.
package main

import (
	"flag"
	"log"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"watchgate.io/e2e/clients/go-kube/measured/shared"
)

func main() {
	json := flag.Bool("json", false, "read JSON")
	flag.Parse()
	if err := run(flag.Arg(0), flag.Arg(1), *json); err != nil {
		log.Fatal(err)
	}
}

func run(count, kubeconfig string, json bool) error {
	pods, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	if json {
		config.ContentType = runtime.ContentTypeJSON
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return shared.Serve(informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), pods)
}
