// A manager of controller-runtime with every kind of read of its cache. It prints the state of all of them, in one line of JSON, whenever
// one of them may have changed: the name of the read, and the resourceVersion of each object by namespace and name.
//
//	reads --kubeconfig FILE --namespace NAMESPACE --other NAMESPACE --gateway URL ctrlcache|transport
//
// Config maps are selected by a label in the first namespace and by a field in the other one. It ends on SIGTERM or SIGINT. Logs go to
// stderr.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"watchgate.io/client/kube"
	"watchgate.io/client/kube/ctrlcache"
)

func main() {
	namespace := flag.String("namespace", "", "`NAMESPACE`")
	other := flag.String("other", "", "`NAMESPACE`")
	gateway := flag.String("gateway", "", "`URL` of the Kubernetes read API")
	patience := flag.Duration("patience", 10*time.Second, "`DURATION` for which reads wait for a gateway that is away")
	flag.Parse() // --kubeconfig is controller-runtime's own
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	if err := run(flag.Arg(0), *gateway, *patience, *namespace, *other); err != nil {
		fmt.Fprintln(os.Stderr, "reads:", err)
		os.Exit(1)
	}
}

func run(way, gateway string, patience time.Duration, namespace, other string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	options := ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "reads",
		LeaderElectionNamespace: namespace,
		Cache:                   cache.Options{ByObject: byObject(namespace, other)},
		// Otherwise the client reads unstructured objects at the apiserver.
		Client: client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	}
	read := &rest.Config{Host: gateway}
	switch way {
	case "ctrlcache":
		options.NewCache, err = ctrlcache.New(read, kube.WaitForGateway(patience))
	case "transport":
		through, failure := kube.Transport(read, kube.WaitForGateway(patience))
		config.Wrap(through)
		err = failure
	default:
		err = fmt.Errorf("%q is none of ctrlcache and transport", way)
	}
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	reads := newReads(manager.GetClient(), other)
	if err := reads.setUp(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func byObject(namespace, other string) map[client.Object]cache.ByObject {
	return map[client.Object]cache.ByObject{
		&corev1.ConfigMap{}: {Namespaces: map[string]cache.Config{
			namespace: {LabelSelector: labels.SelectorFromSet(labels.Set{"side": "left"})},
			other:     {FieldSelector: fields.OneTermNotEqualSelector("metadata.name", "map-0")},
		}},
		&corev1.Pod{}: {
			Label: labels.SelectorFromSet(labels.Set{"side": "left"}),
			Field: fields.OneTermEqualSelector("spec.nodeName", "node-1"),
		},
		widget(): {Namespaces: map[string]cache.Config{cache.AllNamespaces: {}}},
	}
}

func widget() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(widgets)
	return object
}

// printState prints a line.
func printState(ctx context.Context, state map[string]map[string]string) {
	if err := json.NewEncoder(os.Stdout).Encode(state); err != nil {
		log.FromContext(ctx).Error(err, "stdout")
		os.Exit(1)
	}
}
