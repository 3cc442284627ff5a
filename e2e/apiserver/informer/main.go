// An unmodified client-go informer that prints its events: one line of JSON for each add, update and delete, and one when it has synced.
//
//	informer --kubeconfig FILE [--namespace NAMESPACE] [--selector SELECTOR] [--field-selector SELECTOR] RESOURCE.VERSION.GROUP
//	informer --server http://127.0.0.1:8080 pods.v1.
//
// It ends on SIGTERM or SIGINT. Logs of client-go go to stderr.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	server := flag.String("server", "", "`URL`; overrides the kubeconfig's")
	kubeconfig := flag.String("kubeconfig", "", "`FILE`")
	namespace := flag.String("namespace", metav1.NamespaceAll, "`NAMESPACE`; default: all")
	selector := flag.String("selector", "", "label `SELECTOR`")
	fieldSelector := flag.String("field-selector", "", "field `SELECTOR`")
	flag.Parse()
	resource, _ := schema.ParseResourceArg(flag.Arg(0))
	if resource == nil || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "informer: expected one RESOURCE.VERSION.GROUP, such as pods.v1. or deployments.v1.apps")
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags(*server, *kubeconfig)
	if err == nil {
		var client dynamic.Interface
		client, err = dynamic.NewForConfig(config)
		if err == nil {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			err = inform(ctx, client, *resource, *namespace, func(options *metav1.ListOptions) {
				options.LabelSelector, options.FieldSelector = *selector, *fieldSelector
			})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		os.Exit(1)
	}
}

func inform(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, namespace string,
	selected dynamicinformer.TweakListOptionsFunc) error {
	informer := dynamicinformer.NewFilteredDynamicInformer(client, resource, namespace, 0, cache.Indexers{}, selected).Informer()
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { printEvent("add", object) },
		UpdateFunc: func(_, object any) { printEvent("update", object) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj // found missing by a list
			}
			printEvent("delete", object)
		},
	})
	if err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if cache.WaitForCacheSync(ctx.Done(), registered.HasSynced) {
		printEvent("synced", nil)
	}
	<-ctx.Done()
	return nil
}

var output sync.Mutex

func printEvent(what string, object any) {
	line := map[string]any{"what": what}
	if found, ok := object.(*unstructured.Unstructured); ok {
		line["object"] = found.Object
	}
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		os.Exit(1)
	}
}
