// A controller of client-go with an informer on config maps. For each one with the label app=web it keeps a copy in another namespace,
// whose name ends in -copies. It prints a line of JSON for each event of the informer, for each list of a ListerWatcher, and for each read
// that was sent to the apiserver in place of the gateway.
//
//	go-kube --kubeconfig FILE --namespace NAMESPACE --gateway URL    reads by the transport
//	go-kube --kubeconfig FILE --namespace NAMESPACE --grpc HOST:PORT,…    reads by a ListerWatcher
//
// With --informer dynamic or metadata the objects have another form than typed.
//
// It ends on SIGTERM or SIGINT.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	watchgate "watchgate.io/client"
	"watchgate.io/client/kube"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`FILE`")
	namespace := flag.String("namespace", "", "`NAMESPACE`")
	gateway := flag.String("gateway", "", "`URL` of the Kubernetes read API")
	patience := flag.Duration("patience", -1, "`DURATION` for which reads wait for a gateway that is away; default: the package's")
	form := flag.String("informer", "typed", "`FORM` of the objects: typed, dynamic or metadata")
	grpc := flag.String("grpc", "", "`HOST:PORT` of each replica, with commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS = -1
		if *grpc != "" {
			err = runWithListerWatcher(ctx, config, *namespace, *grpc, *form)
		} else {
			err = runWithTransport(ctx, config, *namespace, *gateway, *form, *patience)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-kube:", err)
		os.Exit(1)
	}
}

func runWithTransport(ctx context.Context, config *rest.Config, namespace, gateway, form string, patience time.Duration) error {
	options := []kube.TransportOption{
		kube.OnApiserver(func(request *http.Request, reason string) { printLine("apiserver", request.URL.RawQuery+": "+reason) })}
	if patience >= 0 {
		options = append(options, kube.WaitForGateway(patience))
	}
	through, err := kube.Transport(&rest.Config{Host: gateway}, options...)
	if err != nil {
		return err
	}
	config.Wrap(through)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	informer, err := newInformer(config, client, form, namespace)
	if err != nil {
		return err
	}
	return run(ctx, client, informer, namespace)
}

func newInformer(config *rest.Config, client kubernetes.Interface, form, namespace string) (cache.SharedIndexInformer, error) {
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	switch form {
	case "typed":
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)).Core().V1().ConfigMaps().Informer(), nil
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil).ForResource(configMaps).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil).ForResource(configMaps).Informer(), nil
	}
	return nil, unknownForm(form)
}

func runWithListerWatcher(ctx context.Context, config *rest.Config, namespace, grpc, form string) error {
	reads, err := watchgate.NewClient(strings.Split(grpc, ","))
	if err != nil {
		return err
	}
	defer reads.Close()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	selection := watchgate.Selection{Resource: "configmaps", Namespaces: []string{namespace}}
	var informer cache.SharedIndexInformer
	switch form {
	case "typed": // within a factory, whose listers then read this informer
		factory := informers.NewSharedInformerFactory(client, 0)
		factory.InformerFor(&corev1.ConfigMap{}, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(counted[*corev1.ConfigMap](reads, selection), &corev1.ConfigMap{}, resync, cache.Indexers{})
		})
		informer = factory.Core().V1().ConfigMaps().Informer()
	case "dynamic":
		informer = cache.NewSharedIndexInformer(counted[*unstructured.Unstructured](reads, selection), &unstructured.Unstructured{}, 0, cache.Indexers{})
	case "metadata":
		informer = cache.NewSharedIndexInformer(
			counted[*metav1.PartialObjectMetadata](reads, selection), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	default:
		return unknownForm(form)
	}
	return run(ctx, client, informer, namespace)
}

func unknownForm(form string) error {
	return fmt.Errorf("%q is none of typed, dynamic and metadata", form)
}

// countedLists tells of each list, also of one that is streamed.
type countedLists[T runtime.Object] struct {
	*kube.ListerWatcher[T]
}

func counted[T runtime.Object](reads *watchgate.Client, selection watchgate.Selection) countedLists[T] {
	return countedLists[T]{kube.NewListerWatcher[T](reads, selection)}
}

func (c countedLists[T]) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	printLine("list", options)
	return c.ListerWatcher.ListWithContext(ctx, options)
}

func (c countedLists[T]) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		printLine("list", options)
	}
	return c.ListerWatcher.WatchWithContext(ctx, options)
}

func run(ctx context.Context, client kubernetes.Interface, informer cache.SharedIndexInformer, namespace string) error {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	saw := func(what string) func(object any) {
		return func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			printLine(what, object)
			queue.Add(object.(metav1.Object).GetName())
		}
	}
	set := saw("set")
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: set, UpdateFunc: func(_, object any) { set(object) }, DeleteFunc: saw("delete")})
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { informer.Run(ctx.Done()) })
	if cache.WaitForCacheSync(ctx.Done(), registered.HasSynced) {
		printLine("synced", nil)
	}
	running.Go(func() {
		for reconcile(ctx, client, informer, namespace, queue) {
		}
	})
	<-ctx.Done()
	queue.ShutDown()
	running.Wait()
	return nil
}

func reconcile(
	ctx context.Context, client kubernetes.Interface, informer cache.SharedIndexInformer, namespace string, queue workqueue.TypedRateLimitingInterface[string],
) bool {
	name, ended := queue.Get()
	if ended {
		return false
	}
	defer queue.Done(name)
	if err := writeCopy(ctx, client, informer, namespace, name); err != nil {
		fmt.Fprintln(os.Stderr, "go-kube:", err)
		queue.AddRateLimited(name)
		return true
	}
	queue.Forget(name)
	return true
}

func writeCopy(ctx context.Context, client kubernetes.Interface, informer cache.SharedIndexInformer, namespace, name string) error {
	held, exists, err := informer.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !exists || held.(metav1.Object).GetLabels()["app"] != "web" {
		return err
	}
	data, err := dataOf(ctx, client, held)
	if err != nil {
		return err
	}
	copies := client.CoreV1().ConfigMaps(namespace + "-copies")
	wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	_, err = copies.Create(ctx, wanted, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = copies.Update(ctx, wanted, metav1.UpdateOptions{})
	}
	return err
}

// dataOf returns the data of an object of any form. Metadata has none, so that the object is read.
func dataOf(ctx context.Context, client kubernetes.Interface, held any) (map[string]string, error) {
	switch held := held.(type) {
	case *corev1.ConfigMap:
		return held.Data, nil
	case *unstructured.Unstructured:
		data, _, err := unstructured.NestedStringMap(held.Object, "data")
		return data, err
	case *metav1.PartialObjectMetadata:
		read, err := client.CoreV1().ConfigMaps(held.Namespace).Get(ctx, held.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return read.Data, nil
	}
	return nil, fmt.Errorf("%T is none of the forms", held)
}

var output sync.Mutex

func printLine(what string, about any) {
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"what": what, "about": about}); err != nil {
		os.Exit(1)
	}
}
