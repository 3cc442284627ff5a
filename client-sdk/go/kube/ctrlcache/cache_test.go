package ctrlcache_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"watchgate.io/client/kube/ctrlcache"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"web","resourceVersion":"7"}}`

// api answers lists and watches of pods; the watches stay open.
func api(t *testing.T, requests *atomic.Int32) *httptest.Server {
	t.Helper()
	started := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		writer.Header().Set("Content-Type", "application/json")
		writer.Header().Set("Watchgate-Source", "cache")
		query := request.URL.Query()
		if !query.Has("watch") {
			_, _ = io.WriteString(writer, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+pod+`]}`)
			return
		}
		if query.Has("sendInitialEvents") {
			_, _ = io.WriteString(writer, `{"type":"ADDED","object":`+pod+`}`+"\n"+`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",`+
				`"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
		}
		_ = http.NewResponseController(writer).Flush()
		<-request.Context().Done()
	}))
	t.Cleanup(started.Close)
	return started
}

func TestNew_informersReadAtGateway(t *testing.T) {
	var atGateway, atApiserver atomic.Int32
	gateway, apiserver := api(t, &atGateway), api(t, &atApiserver)
	newCache, err := ctrlcache.New(&rest.Config{Host: gateway.URL})
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{Host: apiserver.URL}
	ofManager, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	made, err := newCache(config, cache.Options{HTTPClient: ofManager, Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- made.Start(ctx) }()
	if !made.WaitForCacheSync(ctx) {
		t.Error("the cache did not start")
	}
	var got corev1.Pod
	if err := made.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "web"}, &got); err != nil || got.ResourceVersion != "7" {
		t.Errorf("got %+v, %v", got.ObjectMeta, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if atGateway.Load() == 0 || atApiserver.Load() != 0 || config.WrapTransport != nil {
		t.Errorf("%d requests to the gateway, %d to the apiserver", atGateway.Load(), atApiserver.Load())
	}
}

func TestNew_gatewayWithoutTLS_isRefused(t *testing.T) {
	if _, err := ctrlcache.New(&rest.Config{Host: "http://gateway"}); err == nil {
		t.Error("accepted")
	}
}
