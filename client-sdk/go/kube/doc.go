// Package kube reads Kubernetes through Watchgate with the types of client-go.
//
// [Transport] leaves a program as it is: lists and watches of its clients and informers are sent to a gateway's Kubernetes read API, all
// else to the apiserver.
//
// [NewListerWatcher] is a source of objects for an informer, over the gateway's gRPC port: watches resume at any replica by a token, and
// informers do not list again.
//
// The module is tested with client-go from v0.33 on. The module watchgate.io/client needs nothing of Kubernetes.
package kube
