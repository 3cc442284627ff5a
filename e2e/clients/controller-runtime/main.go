// A manager of controller-runtime that reads at one server and writes to another: for each config
// map that is selected it keeps a copy, named after it, with the label copy-of. It prints each
// reconciled name.
//
//	controller-runtime --kubeconfig FILE --read-kubeconfig FILE --namespace NAMESPACE --selector SELECTOR
//
// With --gateway URL in place of --read-kubeconfig it reads through a gateway by ctrlcache.
//
// It ends on SIGTERM or SIGINT. Logs go to stderr.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"watchgate.io/client/kube"
	"watchgate.io/client/kube/ctrlcache"
)

const copyOf = "copy-of"

func main() {
	reads := flag.String("read-kubeconfig", "", "`FILE` of the server that is listed and watched")
	gateway := flag.String("gateway", "", "`URL` of the Kubernetes read API")
	namespace := flag.String("namespace", "", "`NAMESPACE`")
	selector := flag.String("selector", "", "label `SELECTOR`")
	patience := flag.Duration("patience", 10*time.Second, "`DURATION` for which reads wait for a gateway that is away")
	flag.Parse() // --kubeconfig is controller-runtime's own
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	newCache, err := cacheOf(*reads)
	if *gateway != "" {
		newCache, err = ctrlcache.New(&rest.Config{Host: *gateway}, kube.WaitForGateway(*patience))
	}
	if err == nil {
		err = run(newCache, *namespace, *selector)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "controller-runtime:", err)
		os.Exit(1)
	}
}

// cacheOf returns a constructor for caches that read at the server of a kubeconfig.
func cacheOf(reads string) (cache.NewCacheFunc, error) {
	reading, err := clientcmd.BuildConfigFromFlags("", reads)
	return func(_ *rest.Config, options cache.Options) (cache.Cache, error) {
		options.HTTPClient = nil // made for the other server
		return cache.New(reading, options)
	}, err
}

func run(newCache cache.NewCacheFunc, namespace, selector string) error {
	writing, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	selected, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(writing, ctrl.Options{
		Metrics:  server.Options{BindAddress: "0"},
		Cache:    cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		NewCache: newCache,
	})
	if err != nil {
		return err
	}
	chosen := predicate.NewPredicateFuncs(func(object client.Object) bool {
		return selected.Matches(labels.Set(object.GetLabels())) || object.GetLabels()[copyOf] != ""
	})
	copies := copier{client: manager.GetClient(), selected: selected}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).WithEventFilter(chosen).Complete(copies); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type copier struct {
	client   client.Client
	selected labels.Selector
}

func (c copier) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var original corev1.ConfigMap
	if err := c.client.Get(ctx, request.NamespacedName, &original); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if original.Labels[copyOf] != "" {
		return reconcile.Result{}, nil
	}
	fmt.Println(request.Name)
	name := client.ObjectKey{Namespace: request.Namespace, Name: request.Name + "-copy"}
	var there corev1.ConfigMap
	err := c.client.Get(ctx, name, &there)
	if apierrors.IsNotFound(err) {
		there = corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{copyOf: request.Name}},
			Data:       original.Data,
		}
		return reconcile.Result{}, c.client.Create(ctx, &there)
	}
	if err != nil || equality.Semantic.DeepEqual(there.Data, original.Data) {
		return reconcile.Result{}, err
	}
	there.Data = original.Data
	return reconcile.Result{}, c.client.Update(ctx, &there)
}
