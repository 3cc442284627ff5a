package kube

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	watchgate "watchgate.io/client"
)

// objectList is the list of a [ListerWatcher], of any type of object.
type objectList[T runtime.Object] struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []T
}

// DeepCopyObject makes it a runtime.Object.
func (l *objectList[T]) DeepCopyObject() runtime.Object {
	items := make([]T, len(l.Items))
	for i, item := range l.Items {
		items[i] = item.DeepCopyObject().(T)
	}
	return &objectList[T]{l.TypeMeta, *l.ListMeta.DeepCopy(), items}
}

// newObject returns an empty object of a pointer type.
func newObject[T runtime.Object]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

// decode returns the object of a change. As at an apiserver, kind and apiVersion of a generated type are empty.
func decode[T runtime.Object](change watchgate.Change) (T, error) {
	object := newObject[T]()
	if change.OmittedBytes > 0 {
		return object, &watchgate.DecodeError{Key: change.Key, ResourceVersion: change.ResourceVersion, Err: watchgate.ErrOmitted}
	}
	if err := utiljson.Unmarshal(change.Object, object); err != nil {
		return object, &watchgate.DecodeError{Key: change.Key, ResourceVersion: change.ResourceVersion, Err: err}
	}
	switch any(object).(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
	default:
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return object, nil
}

// bookmark returns an object of the informer's type that has nothing but a version; a reflector drops a bookmark of another type.
func bookmark[T runtime.Object](kind schema.GroupVersionKind, version string) (watch.Event, error) {
	object := newObject[T]()
	if _, ok := any(object).(*unstructured.Unstructured); ok {
		object.GetObjectKind().SetGroupVersionKind(kind)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return watch.Event{}, fmt.Errorf("watchgate: %T has no metadata: %w", object, err)
	}
	accessor.SetResourceVersion(version)
	return watch.Event{Type: watch.Bookmark, Object: object}, nil
}

// event is a decoded change with its place in the order in which it is given to a reflector.
type event struct {
	watch.Event
	version string
}

func decodeAll[T runtime.Object](changes []watchgate.Change) ([]event, error) {
	events := make([]event, len(changes))
	for i, change := range changes {
		object, err := decode[T](change)
		if err != nil {
			return nil, err
		}
		events[i] = event{watch.Event{Type: eventTypes[change.Type], Object: object}, change.ResourceVersion}
	}
	return events, nil
}

var eventTypes = map[watchgate.ChangeType]watch.EventType{
	watchgate.Added: watch.Added, watchgate.Modified: watch.Modified, watchgate.Deleted: watch.Deleted,
}

// sortNetEffect orders changes that belong together by their versions, because a reflector takes its position from each event: if it stops
// in between, no change is missing before that position. Changes of one object keep their order, also if the version of a deletion is only
// an upper bound.
func sortNetEffect(changes []watchgate.Change) {
	type ordered struct {
		watchgate.Change
		version string
	}
	last := map[watchgate.Key]string{}
	sorted := make([]ordered, len(changes))
	for i, change := range changes {
		version := change.ResourceVersion
		if before, ok := last[change.Key]; ok && compareVersions(before, version) > 0 {
			version = before
		}
		last[change.Key] = version
		sorted[i] = ordered{change, version}
	}
	slices.SortStableFunc(sorted, func(a, b ordered) int { return compareVersions(a.version, b.version) })
	for i := range sorted {
		changes[i] = sorted[i].Change
	}
}

// compareVersions compares decimal numbers of any length. The versions are those of an apiserver, which have no leading zeros.
func compareVersions(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
