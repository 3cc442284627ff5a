package main

import (
	"context"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const sideIndex = "side"

var (
	configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	pods       = corev1.SchemeGroupVersion.WithKind("Pod")
	widgets    = schema.GroupVersionKind{Group: "e2e.watchgate.io", Version: "v1", Kind: "Widget"}
)

// reads has the lists of a manager's client, and what handlers and a controller were given.
type reads struct {
	client  client.Client
	lists   map[string]func() (client.ObjectList, []client.ListOption)
	changed chan struct{} // holds at most one signal

	mu    sync.Mutex
	given map[string]map[string]string // by name of the handler
}

// newReads returns reads of which one has an index and a namespace.
func newReads(reader client.Client, namespace string) *reads {
	list := func(made func() client.ObjectList, options ...client.ListOption) func() (client.ObjectList, []client.ListOption) {
		return func() (client.ObjectList, []client.ListOption) { return made(), options }
	}
	untyped := func(kind schema.GroupVersionKind) func() client.ObjectList {
		return func() client.ObjectList {
			made := &unstructured.UnstructuredList{}
			made.SetGroupVersionKind(kind)
			return made
		}
	}
	typed := func() client.ObjectList { return &corev1.ConfigMapList{} }
	return &reads{
		client: reader,
		lists: map[string]func() (client.ObjectList, []client.ListOption){
			"typed":        list(typed),
			"unstructured": list(untyped(configMaps)),
			"metadata": list(func() client.ObjectList {
				made := &metav1.PartialObjectMetadataList{}
				made.SetGroupVersionKind(configMaps)
				return made
			}),
			"indexed": list(typed, client.InNamespace(namespace), client.MatchingFields{sideIndex: "right"}),
			"pods":    list(func() client.ObjectList { return &corev1.PodList{} }),
			"custom":  list(untyped(widgets)),
		},
		changed: make(chan struct{}, 1),
		given:   map[string]map[string]string{},
	}
}

// setUp adds the index, the handlers and the controller to a manager, and starts to print.
func (r *reads) setUp(ctx context.Context, manager ctrl.Manager) error {
	held := manager.GetCache()
	sides := func(object client.Object) []string { return []string{object.GetLabels()["side"]} }
	if err := held.IndexField(ctx, &corev1.ConfigMap{}, sideIndex, sides); err != nil {
		return err
	}
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(configMaps)
	for name, object := range map[string]client.Object{"informer": &corev1.ConfigMap{}, "informer of unstructured": untyped, "informer of custom": widget()} {
		if err := r.handle(name)(held.GetInformer(ctx, object, cache.BlockUntilSynced(false))); err != nil {
			return err
		}
	}
	if err := r.handle("informer for kind")(held.GetInformerForKind(ctx, pods, cache.BlockUntilSynced(false))); err != nil {
		return err
	}
	if err := manager.Add(electedPrinter{r, manager}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}, builder.OnlyMetadata).Complete(reconcile.Func(r.reconcile))
}

// reconcile records the metadata of an object, or its absence.
func (r *reads) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(configMaps)
	if err := r.client.Get(ctx, request.NamespacedName, object); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	} else if err != nil {
		r.record("reconciled", request.String(), "")
	} else {
		r.record("reconciled", request.String(), object.ResourceVersion)
	}
	return reconcile.Result{}, nil
}

// handle records the objects of an informer.
func (r *reads) handle(name string) func(cache.Informer, error) error {
	set := func(object any) { r.recordObject(name, object, true) }
	return func(informer cache.Informer, err error) error {
		if err == nil {
			_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
				AddFunc:    set,
				UpdateFunc: func(_, object any) { set(object) },
				DeleteFunc: func(object any) { r.recordObject(name, object, false) },
			})
		}
		return err
	}
}

func (r *reads) recordObject(name string, object any, exists bool) {
	if unknown, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	key, version := describe(object.(client.Object))
	if !exists {
		version = ""
	}
	r.record(name, key, version)
}

// record sets the version of an object; an empty one removes it.
func (r *reads) record(name, key, version string) {
	r.mu.Lock()
	if r.given[name] == nil {
		r.given[name] = map[string]string{}
	}
	if version == "" {
		delete(r.given[name], key)
	} else {
		r.given[name][key] = version
	}
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// state returns the versions by the name of the read.
func (r *reads) state(ctx context.Context) (map[string]map[string]string, error) {
	state := map[string]map[string]string{}
	for name, list := range r.lists {
		listed, options := list()
		if err := r.client.List(ctx, listed, options...); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		state[name] = map[string]string{}
		if err := meta.EachListItem(listed, func(item runtime.Object) error {
			key, version := describe(item.(client.Object))
			state[name][key] = version
			return nil
		}); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, given := range r.given {
		state[name] = maps.Clone(given)
	}
	return state, nil
}

func describe(object client.Object) (key, version string) {
	return client.ObjectKeyFromObject(object).String(), object.GetResourceVersion()
}

// electedPrinter prints the state after each change while its manager is the leader.
type electedPrinter struct {
	reads   *reads
	manager ctrl.Manager
}

// Start begins with an event, and a list that does not come from the cache.
func (p electedPrinter) Start(ctx context.Context) error {
	var listed corev1.ConfigMapList
	if err := p.manager.GetAPIReader().List(ctx, &listed); err != nil {
		return err
	}
	for {
		state, err := p.reads.state(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		printState(ctx, state)
		select {
		case <-p.reads.changed:
		case <-ctx.Done():
			return nil
		}
	}
}
