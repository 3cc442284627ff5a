package kube

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Types whose reads stay at the apiserver, unless [ForResources] names them: a gateway relays them by default.
var uncachedByDefault = []schema.GroupResource{
	{Resource: "secrets"},
	{Resource: "events"},
	{Group: "events.k8s.io", Resource: "events"},
	{Group: "coordination.k8s.io", Resource: "leases"},
}

var listParameters = []string{
	"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch", "sendInitialEvents",
	"timeout", "timeoutSeconds", "watch",
}

// isPlainRead reports whether a request is a GET without a body that a gateway may answer on behalf of its caller.
func isPlainRead(request *http.Request) bool {
	if request.Method != http.MethodGet || request.Body != nil {
		return false
	}
	for name := range request.Header {
		if name == "Upgrade" || name == "Range" || strings.HasPrefix(name, "Impersonate-") {
			return false
		}
	}
	return acceptsJSON(request.Header.Values("Accept")) && hasKnownParameters(request.URL)
}

// acceptsJSON reports whether objects in JSON, or their metadata, are an accepted answer. A table, which only the apiserver makes, is
// another type of answer.
func acceptsJSON(accepted []string) bool {
	for _, clause := range strings.Split(strings.Join(accepted, ","), ",") {
		name, parameters, err := mime.ParseMediaType(clause)
		if err != nil {
			continue
		}
		if strings.EqualFold(parameters["as"], "Table") {
			return false
		}
		if name == "application/json" || name == "application/*" || name == "*/*" {
			return true
		}
	}
	return strings.Join(accepted, "") == ""
}

// hasKnownParameters reports whether a gateway knows each parameter, and each has one value.
func hasKnownParameters(address *url.URL) bool {
	parameters, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return false
	}
	for name, values := range parameters {
		if !slices.Contains(listParameters, name) || len(values) != 1 {
			return false
		}
	}
	// A gateway does not bound a watch by timeout alone.
	return !parameters.Has("timeout") || parameters.Has("timeoutSeconds") || !parameters.Has("watch")
}

// collectionOf returns the resource whose objects a path lists, such as /api/v1/pods and /apis/apps/v1/namespaces/shop/deployments. It
// reports false for any other path: of an object, a subresource, a server behind a path of its own, or discovery.
func collectionOf(address *url.URL) (schema.GroupResource, bool) {
	var none schema.GroupResource
	path := address.EscapedPath()
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "%;\\") {
		return none, false
	}
	parts := strings.Split(path[1:], "/")
	if slices.ContainsFunc(parts, func(part string) bool { return part == "" || part == "." || part == ".." }) {
		return none, false
	}
	group := ""
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, parts = parts[1], parts[3:]
	default:
		return none, false
	}
	switch {
	case parts[0] == "watch" || parts[0] == "proxy": // older forms of watches and proxies
		return none, false
	case len(parts) == 1:
		return schema.GroupResource{Group: group, Resource: parts[0]}, true
	case len(parts) == 3 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize":
		return schema.GroupResource{Group: group, Resource: parts[2]}, true
	}
	return none, false
}
