// A controller of client-go with an informer on config maps. For each one with the label app=web it keeps a copy in another namespace,
// whose name ends in -copies. It prints a line of JSON for each event of the informer, for each list of a ListerWatcher, and for each read
// that was sent to the apiserver in place of the gateway.
//
//	go-kube --kubeconfig FILE --namespace NAMESPACE --gateway URL    reads by the transport
//	go-kube --kubeconfig FILE --namespace NAMESPACE --grpc HOST:PORT,…    reads by a ListerWatcher
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
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
	grpc := flag.String("grpc", "", "`HOST:PORT` of each replica, with commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS = -1
		if *grpc != "" {
			err = runWithListerWatcher(ctx, config, *namespace, *grpc)
		} else {
			err = runWithTransport(ctx, config, *namespace, *gateway, *patience)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-kube:", err)
		os.Exit(1)
	}
}

func runWithTransport(ctx context.Context, config *rest.Config, namespace, gateway string, patience time.Duration) error {
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
	informer := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)).Core().V1().ConfigMaps().Informer()
	return run(ctx, client, informer, namespace)
}

func runWithListerWatcher(ctx context.Context, config *rest.Config, namespace, grpc string) error {
	reads, err := watchgate.NewClient(strings.Split(grpc, ","))
	if err != nil {
		return err
	}
	defer reads.Close()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	source := kube.NewListerWatcher[*corev1.ConfigMap](reads, watchgate.Selection{Resource: "configmaps", Namespaces: []string{namespace}})
	return run(ctx, client, cache.NewSharedIndexInformer(countedLists{source}, &corev1.ConfigMap{}, 0, cache.Indexers{}), namespace)
}

// countedLists tells of each list, also of one that is streamed.
type countedLists struct {
	*kube.ListerWatcher[*corev1.ConfigMap]
}

func (c countedLists) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	printLine("list", options)
	return c.ListerWatcher.ListWithContext(ctx, options)
}

func (c countedLists) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
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
			queue.Add(object.(*corev1.ConfigMap).Name)
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
	if err != nil || !exists || held.(*corev1.ConfigMap).Labels["app"] != "web" {
		return err
	}
	copies := client.CoreV1().ConfigMaps(namespace + "-copies")
	wanted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: held.(*corev1.ConfigMap).Data}
	_, err = copies.Create(ctx, wanted, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = copies.Update(ctx, wanted, metav1.UpdateOptions{})
	}
	return err
}

var output sync.Mutex

func printLine(what string, about any) {
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"what": what, "about": about}); err != nil {
		os.Exit(1)
	}
}
