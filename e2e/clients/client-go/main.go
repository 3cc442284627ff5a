// An informer of client-go on config maps, typed, dynamic or of metadata only, or a RetryWatcher
// after a list, that prints its events: one line of JSON for each add, update and delete, and one
// when it has synced.
//
//	client-go --kubeconfig FILE --namespace NAMESPACE --selector SELECTOR typed|dynamic|metadata|retry_watcher
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

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	toolswatch "k8s.io/client-go/tools/watch"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`FILE`")
	namespace := flag.String("namespace", metav1.NamespaceAll, "`NAMESPACE`; default: all")
	selector := flag.String("selector", "", "label `SELECTOR`")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil && flag.Arg(0) == "retry_watcher" {
		err = runRetryWatcher(config, *namespace, *selector)
	} else if err == nil {
		var informer cache.SharedIndexInformer
		informer, err = newInformer(config, flag.Arg(0), *namespace, func(options *metav1.ListOptions) {
			options.LabelSelector = *selector
		})
		if err == nil {
			err = run(informer)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}

func newInformer(config *rest.Config, kind, namespace string, selected func(*metav1.ListOptions)) (cache.SharedIndexInformer, error) {
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	switch kind {
	case "typed":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithNamespace(namespace), informers.WithTweakListOptions(selected)).
			Core().V1().ConfigMaps().Informer(), nil
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicInformer(client, configMaps, namespace, 0, cache.Indexers{},
			selected).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredMetadataInformer(client, configMaps, namespace, 0, cache.Indexers{},
			selected).Informer(), nil
	default:
		return nil, fmt.Errorf("%q is none of typed, dynamic, metadata and retry_watcher", kind)
	}
}

func run(informer cache.SharedIndexInformer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
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
	go informer.Run(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), registered.HasSynced) {
		printEvent("synced", nil)
	}
	<-ctx.Done()
	return nil
}

// selectedMaps opens watches on the selected config maps.
type selectedMaps struct {
	client   v1.ConfigMapInterface
	selector string
}

func (maps selectedMaps) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.LabelSelector = maps.selector
	return maps.client.Watch(ctx, options)
}

func runRetryWatcher(config *rest.Config, namespace, selector string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := selectedMaps{client.CoreV1().ConfigMaps(namespace), selector}
	list, err := maps.client.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	for i := range list.Items {
		printEvent("add", &list.Items[i])
	}
	printEvent("synced", nil)
	watcher, err := toolswatch.NewRetryWatcherWithContext(ctx, list.ResourceVersion, maps)
	if err != nil {
		return err
	}
	names := map[watch.EventType]string{watch.Added: "add", watch.Modified: "update", watch.Deleted: "delete"}
	for event := range watcher.ResultChan() {
		name, ok := names[event.Type]
		if !ok {
			return fmt.Errorf("the watch ended: %v", event)
		}
		printEvent(name, event.Object)
	}
	return nil
}

var output sync.Mutex

func printEvent(what string, object any) {
	line := map[string]any{"what": what}
	if object != nil {
		line["object"] = object
	}
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}
