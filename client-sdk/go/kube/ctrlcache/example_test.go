package ctrlcache_test

import (
	"log"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"watchgate.io/client/kube/ctrlcache"
)

// A manager whose cache reads through a gateway; its other clients stay at the apiserver.
func ExampleNew() {
	config, err := rest.InClusterConfig()
	if err != nil {
		log.Fatal(err)
	}
	newCache, err := ctrlcache.New(&rest.Config{
		Host:            "https://watchgate.watchgate.svc",
		TLSClientConfig: rest.TLSClientConfig{CAFile: "/etc/watchgate/ca.crt"},
	})
	if err != nil {
		log.Fatal(err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{NewCache: newCache})
	if err != nil {
		log.Fatal(err)
	}
	_ = manager // for controllers, as before
}
