package kube

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatev1"
)

// maxObjectBytes is above what an apiserver stores: no object arrives without its body.
const maxObjectBytes = 16 << 20

// ListerWatcher is a source of objects for one informer, over gRPC. T is a pointer: a generated type such as *corev1.Pod,
// *unstructured.Unstructured or *metav1.PartialObjectMetadata.
//
// A watch continues by itself over restarts of the gateway, failovers and lost connections, and does not end with the timeout of its
// options. So an informer lists again only if a position has expired everywhere (410). The options of a watch and a list have the meaning
// that they have at an apiserver: a streaming list (sendInitialEvents), a version as the lower bound, no version for the present state,
// bookmarks. A list has one page.
type ListerWatcher[T runtime.Object] struct {
	client    *watchgate.Client
	selection watchgate.Selection

	mu   sync.Mutex
	last watchgate.Position        // the last one that was delivered
	kind schema.GroupVersionKind   // of unstructured objects, once it is known
	name *watchgatev1.ResourceType // of the type, as the last gateway has resolved it
}

var (
	_ cache.ListerWatcher            = (*ListerWatcher[runtime.Object])(nil)
	_ cache.ListerWatcherWithContext = (*ListerWatcher[runtime.Object])(nil)
)

// NewListerWatcher returns a source for one informer:
//
//	pods := kube.NewListerWatcher[*corev1.Pod](client, watchgate.Selection{Resource: "pods", Labels: "app=web"})
//	informer := cache.NewSharedIndexInformer(pods, &corev1.Pod{}, 0, cache.Indexers{})
//
// Name the version of the type in the selection if the apiserver may come to prefer another one. Objects of type
// *metav1.PartialObjectMetadata are sent without the rest of the object.
func NewListerWatcher[T runtime.Object](client *watchgate.Client, selection watchgate.Selection) *ListerWatcher[T] {
	if _, ok := any(newObject[T]()).(*metav1.PartialObjectMetadata); ok && selection.View == watchgate.ViewFull && len(selection.Include) == 0 {
		selection.View = watchgate.ViewMetadata
	}
	return &ListerWatcher[T]{client: client, selection: selection}
}

// List is ListWithContext with context.Background().
func (l *ListerWatcher[T]) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

// ListWithContext returns all objects. The limit is ignored, as an apiserver may do.
func (l *ListerWatcher[T]) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	switch {
	case options.Continue != "":
		return nil, apierrors.NewResourceExpired("watchgate: a list has one page")
	case options.ResourceVersionMatch == metav1.ResourceVersionMatchExact:
		return nil, apierrors.NewBadRequest("watchgate: a list of exactly one version is not served; leave resourceVersionMatch out")
	}
	request := append(freshness(options.ResourceVersion), watchgate.MaxResponseBytes(maxObjectBytes))
	listed, err := l.client.List(ctx, l.selected(options), request...)
	if err != nil {
		return nil, l.status(err)
	}
	items := make([]T, len(listed.Objects))
	for i, change := range listed.Objects {
		if items[i], err = decode[T](change); err != nil {
			return nil, l.status(err)
		}
	}
	l.recordPosition(listed.Position)
	return &objectList[T]{ListMeta: metav1.ListMeta{ResourceVersion: listed.Position.ResourceVersion}, Items: items}, nil
}

// Watch is WatchWithContext with context.Background(): it waits for a gateway until the client is closed.
func (l *ListerWatcher[T]) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

// WatchWithContext returns once a gateway has admitted the watch. While none answers, it waits and says so by klog.
func (l *ListerWatcher[T]) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	running, stop := context.WithCancel(ctx)
	admitted := make(chan error, 1)
	opened := &openWatch[T]{
		source: l, options: options, selection: l.selected(options), stop: stop, events: make(chan watch.Event), admitted: admitted}
	go opened.run(running)
	if err := <-admitted; err != nil {
		return nil, err
	}
	return opened, nil
}

// selected adds the selectors of the options, which a program may give; a reflector gives none.
func (l *ListerWatcher[T]) selected(options metav1.ListOptions) watchgate.Selection {
	selection := l.selection
	selection.Labels = both(selection.Labels, options.LabelSelector)
	selection.Fields = both(selection.Fields, options.FieldSelector)
	return selection
}

func both(a, b string) string { return strings.Trim(a+","+b, ",") }

// freshness returns the options for a state that is at least as new as a version; none is the present.
func freshness(version string) []watchgate.RequestOption {
	switch version {
	case "":
		return []watchgate.RequestOption{watchgate.MaxStaleness(0)}
	case "0":
		return nil
	}
	return []watchgate.RequestOption{watchgate.AtLeast(version)}
}

// after returns the start of the changes after a version: the token of this version, if it is the last one that was delivered.
func (l *ListerWatcher[T]) after(version string) watchgate.RequestOption {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.ResourceVersion == version && len(l.last.Token) > 0 {
		return watchgate.ResumeFrom(l.last.Token)
	}
	return watchgate.FromVersion(version)
}

func (l *ListerWatcher[T]) recordPosition(position watchgate.Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = position
}

func (l *ListerWatcher[T]) status(err error) *apierrors.StatusError {
	return statusOf(err, resourceOf(l.selection))
}

func resourceOf(selection watchgate.Selection) schema.GroupResource {
	return schema.GroupResource{Group: selection.Group, Resource: selection.Resource}
}

// bookmark returns a bookmark with the kind of the objects if T is unstructured.
func (l *ListerWatcher[T]) bookmark(ctx context.Context, version string) (watch.Event, error) {
	var kind schema.GroupVersionKind
	if _, ok := any(newObject[T]()).(*unstructured.Unstructured); ok {
		var err error
		if kind, err = l.kindOf(ctx); err != nil {
			return watch.Event{}, err
		}
	}
	return bookmark[T](kind, version)
}

// resolved records the type that a gateway has found by the name in the selection: a plural, a singular, a short name or a kind.
func (l *ListerWatcher[T]) recordType(opened watchgate.Opened) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = opened.Stream.GetSelection().GetResourceType()
}

func (l *ListerWatcher[T]) kindOf(ctx context.Context) (schema.GroupVersionKind, error) {
	l.mu.Lock()
	known, name := l.kind, l.name
	l.mu.Unlock()
	if !known.Empty() {
		return known, nil
	}
	types, err := l.client.Types(ctx)
	if err != nil {
		return known, err
	}
	for _, served := range types {
		if named := served.ResourceType; proto.Equal(named, name) {
			known = schema.GroupVersionKind{Group: named.Group, Version: named.Version, Kind: served.Kind}
			l.mu.Lock()
			l.kind = known
			l.mu.Unlock()
			return known, nil
		}
	}
	return known, apierrors.NewNotFound(resourceOf(l.selection), "")
}
