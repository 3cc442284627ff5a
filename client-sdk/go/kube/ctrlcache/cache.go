// Package ctrlcache makes the cache of a manager of controller-runtime read through Watchgate.
//
// It is a module of its own, so that programs with client-go alone do not depend on controller-runtime, whose versions each need one version of client-go. It
// is tested with controller-runtime v0.21 and newer.
package ctrlcache

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"watchgate.io/client/kube"
)

// New returns a constructor for NewCache of the options of a manager or a cluster:
//
//	newCache, err := ctrlcache.New(&rest.Config{Host: "https://watchgate.watchgate.svc", TLSClientConfig: rest.TLSClientConfig{CAFile: "/etc/watchgate/ca.crt"}})
//	manager, err := ctrl.NewManager(config, ctrl.Options{NewCache: newCache})
//
// The informers of the cache list and watch by [kube.Transport], with all options of the cache: ByObject, namespaces, selectors, metadata only. All other
// clients of the manager stay at the apiserver: writes, GetAPIReader, leader election, events and discovery. So do reads of unstructured objects by the
// manager's client, as without a gateway, unless its options say Cache.Unstructured. To send the lists of those clients to the
// gateway, too, leave NewCache out and wrap the manager's configuration by kube.Transport.
func New(gateway *rest.Config, options ...kube.TransportOption) (cache.NewCacheFunc, error) {
	through, err := kube.Transport(gateway, options...)
	if err != nil {
		return nil, err
	}
	return func(config *rest.Config, options cache.Options) (cache.Cache, error) {
		config = rest.CopyConfig(config)
		config.Wrap(through)
		options.HTTPClient = nil // that of the manager would be used in place of the configuration
		return cache.New(config, options)
	}, nil
}
