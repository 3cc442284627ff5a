package watchgate

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"watchgate.io/client/watchgatev1"
)

// Selection is a set of objects, and the part of each object that is sent. Only Resource is required.
type Selection struct {
	Resource string // plural, singular, short name or kind: "pods"
	Group    string // empty: any, the core group first; with a Version, the core group
	Version  string // empty: the version that the apiserver prefers

	Namespaces []string // none: all
	Labels     string   // label selector: "app in (web,api),!canary"
	Fields     string   // field selector: "spec.nodeName=node-7"

	View    View     // not together with Include
	Include []string // JSON pointers; only these parts and the identifying metadata are sent
}

// View is the part of each object that is sent.
type View int

// Views of an object.
const (
	ViewFull            View = iota
	ViewNoManagedFields      // all but metadata.managedFields
	ViewMetadata             // apiVersion, kind, and metadata without managedFields
	ViewKey                  // no body
)

func (s Selection) message() *watchgatev1.Selection {
	return &watchgatev1.Selection{
		ResourceType:  &watchgatev1.ResourceType{Group: s.Group, Version: s.Version, Resource: s.Resource},
		Namespaces:    slices.Clone(s.Namespaces),
		LabelSelector: s.Labels,
		FieldSelector: s.Fields,
	}
}

func (s Selection) projection() *watchgatev1.Projection {
	projection := &watchgatev1.Projection{IncludePointers: slices.Clone(s.Include)}
	if len(s.Include) == 0 || s.View != ViewFull {
		projection.View = watchgatev1.ObjectView(s.View) + watchgatev1.ObjectView_OBJECT_VIEW_FULL // in the same order
	}
	return projection
}

// RequestOption changes the request of a watch or a list.
type RequestOption func(*request)

type request struct {
	watch     *watchgatev1.ListAndWatchRequest
	watchOnly []string // names of options that a list cannot have
}

func newRequest(selection Selection, clientName string, options []RequestOption) request {
	made := request{watch: &watchgatev1.ListAndWatchRequest{
		Selection:  selection.message(),
		Projection: selection.projection(),
		Delivery:   &watchgatev1.Delivery{},
		ClientName: clientName,
	}}
	for _, option := range options {
		option(&made)
	}
	return made
}

func (r request) list() (*watchgatev1.ListObjectsRequest, error) {
	if len(r.watchOnly) > 0 {
		return nil, fmt.Errorf("watchgate: %s is an option of a watch, not of a list; leave it out", r.watchOnly[0])
	}
	return &watchgatev1.ListObjectsRequest{
		Selection:              r.watch.Selection,
		Projection:             r.watch.Projection,
		MinimumResourceVersion: r.watch.MinimumResourceVersion,
		MaxResponseBytes:       r.watch.Delivery.MaxResponseBytes,
		MaxStaleness:           r.watch.Delivery.MaxStaleness,
	}, nil
}

// ResumeFrom begins a watch after a token of the same selection. The program must have kept the state of that position, too. An empty
// token is none.
func ResumeFrom(token []byte) RequestOption {
	return func(r *request) {
		r.watchOnly = append(r.watchOnly, "ResumeFrom")
		r.watch.Start = nil
		if len(token) > 0 {
			r.watch.Start = &watchgatev1.ListAndWatchRequest_ResumeToken{ResumeToken: slices.Clone(token)}
		}
	}
}

// FromVersion begins a watch after a resourceVersion, of a list or a watch at the apiserver or here. There is no snapshot. The program must
// have kept the state of that version, too. A token is safer than a version: it also notices a cluster that was restored from a backup.
func FromVersion(resourceVersion string) RequestOption {
	return func(r *request) {
		r.watchOnly = append(r.watchOnly, "FromVersion")
		r.watch.Start = &watchgatev1.ListAndWatchRequest_ResourceVersion{ResourceVersion: resourceVersion}
	}
}

// FromNow begins a watch without a snapshot. Changes before its first stream, or before the first position, are not seen.
func FromNow() RequestOption {
	return func(r *request) {
		r.watchOnly = append(r.watchOnly, "FromNow")
		r.watch.Start = &watchgatev1.ListAndWatchRequest_FromNow{FromNow: &watchgatev1.FromNow{}}
	}
}

// AtLeast waits until the gateway has the state of a resourceVersion that the program wrote or read elsewhere.
func AtLeast(resourceVersion string) RequestOption {
	return func(r *request) { r.watch.MinimumResourceVersion = resourceVersion }
}

// MaxStaleness ends a stream, or refuses a list, if the gateway's state was last proven current longer ago; the watch then continues at
// another replica. 0: the snapshot or the list is as of now.
func MaxStaleness(limit time.Duration) RequestOption {
	return func(r *request) { r.watch.Delivery.MaxStaleness = durationpb.New(limit) }
}

// MaxResponseBytes sets the largest response; a larger object arrives without its body. Default: 4 MiB.
func MaxResponseBytes(limit uint32) RequestOption {
	return func(r *request) { r.watch.Delivery.MaxResponseBytes = limit }
}

// BookmarkInterval sets the time between bookmarks, from 1 s to 5 min; default 30 s. A stream that is silent for three intervals is
// replaced.
func BookmarkInterval(interval time.Duration) RequestOption {
	return func(r *request) {
		r.watchOnly = append(r.watchOnly, "BookmarkInterval")
		r.watch.Delivery.BookmarkInterval = durationpb.New(interval)
	}
}

// WithDelivery replaces all delivery options of a watch, for those without a function of their own; options after it change the copy.
func WithDelivery(delivery *watchgatev1.Delivery) RequestOption {
	return func(r *request) {
		r.watchOnly = append(r.watchOnly, "WithDelivery")
		r.watch.Delivery = proto.CloneOf(delivery)
	}
}
