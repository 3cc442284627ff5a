package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

const podsInShop = "/api/v1/namespaces/shop/pods"

// server records its requests, and answers by a function.
type server struct {
	mu       sync.Mutex
	requests []*http.Request
	answer   func(*http.Request) (*http.Response, error)
}

func (s *server) RoundTrip(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	return s.answer(request)
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func answering(status int, source string) *server {
	return &server{answer: func(request *http.Request) (*http.Response, error) {
		header := http.Header{}
		if source != "" {
			header.Set(sourceHeader, source)
		}
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: header, Body: io.NopCloser(strings.NewReader("")), Request: request}, nil
	}}
}

func silent() *server {
	return &server{answer: func(request *http.Request) (*http.Response, error) {
		<-request.Context().Done()
		return nil, context.Cause(request.Context())
	}}
}

func failing() *server {
	return &server{answer: func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }}
}

// split returns the transport under test between two servers.
func split(t *testing.T, gateway, apiserver http.RoundTripper, options ...TransportOption) http.RoundTripper {
	t.Helper()
	made, err := newGatewayTransport(&rest.Config{Host: "https://gateway"}, options)
	if err != nil {
		t.Fatal(err)
	}
	made.gateway = gateway
	return &splitTransport{made, apiserver}
}

func get(t *testing.T, transport http.RoundTripper, url string, header http.Header) *http.Response {
	t.Helper()
	response, err := transport.RoundTrip(requestOf(t, http.MethodGet, url, header))
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response
}

func requestOf(t *testing.T, method, url string, header http.Header) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://apiserver"+url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		request.Header = header
	}
	return request
}

func TestTransport_route(t *testing.T) {
	accept := func(formats string) http.Header { return http.Header{"Accept": {formats}} }
	for _, test := range []struct {
		name, method, url string
		header            http.Header
		toGateway         bool
	}{
		{name: "list", url: "/api/v1/pods?limit=500&resourceVersion=0", toGateway: true},
		{name: "list in a namespace", url: podsInShop, toGateway: true},
		{name: "list of a group", url: "/apis/apps/v1/namespaces/shop/deployments?labelSelector=a%3Db", toGateway: true},
		{name: "list of namespaces", url: "/api/v1/namespaces", toGateway: true},
		{name: "watch", url: "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeout=6m1s&timeoutSeconds=361&resourceVersion=7", toGateway: true},
		{name: "streaming list", url: "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", toGateway: true},
		{name: "protobuf or JSON", url: "/api/v1/pods", header: accept("application/vnd.kubernetes.protobuf,application/json"), toGateway: true},
		{name: "metadata", url: "/api/v1/pods", header: accept("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"), toGateway: true},
		{name: "object", url: podsInShop + "/web"},
		{name: "namespace", url: "/api/v1/namespaces/shop"},
		{name: "subresource", url: podsInShop + "/web/status"},
		{name: "subresource of a namespace", url: "/api/v1/namespaces/shop/finalize"},
		{name: "exec", url: podsInShop + "/web/exec?command=ls"},
		{name: "older form of a watch", url: "/api/v1/watch/pods"},
		{name: "discovery", url: "/apis/apps/v1"},
		{name: "version", url: "/version"},
		{name: "path below a prefix", url: "/clusters/one/api/v1/pods"},
		{name: "empty part of the path", url: "/api/v1//pods"},
		{name: "encoded path", url: "/api/v1/pods%2Fweb"},
		{name: "unknown parameter", url: "/api/v1/pods?shardSelector=a"},
		{name: "parameter with two values", url: "/api/v1/pods?limit=1&limit=2"},
		{name: "watch bounded by timeout alone", url: "/api/v1/pods?watch=1&timeout=5s"},
		{name: "create", method: http.MethodPost, url: podsInShop},
		{name: "delete of a collection", method: http.MethodDelete, url: podsInShop},
		{name: "head", method: http.MethodHead, url: podsInShop},
		{name: "table", url: podsInShop, header: accept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")},
		{name: "protobuf alone", url: podsInShop, header: accept("application/vnd.kubernetes.protobuf")},
		{name: "impersonation", url: podsInShop, header: http.Header{"Impersonate-User": {"jane"}}},
		{name: "change of the protocol", url: podsInShop, header: http.Header{"Upgrade": {"websocket"}}},
		{name: "secrets", url: "/api/v1/secrets"},
		{name: "leases", url: "/apis/coordination.k8s.io/v1/namespaces/shop/leases"},
		{name: "events", url: "/apis/events.k8s.io/v1/events"},
	} {
		t.Run(test.name, func(t *testing.T) {
			gateway, apiserver := answering(200, "cache"), answering(200, "")
			request := requestOf(t, test.method, test.url, test.header)
			response, err := split(t, gateway, apiserver).RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if toGateway := gateway.count() == 1; toGateway != test.toGateway || gateway.count()+apiserver.count() != 1 {
				t.Errorf("%d requests to the gateway, %d to the apiserver", gateway.count(), apiserver.count())
			}
			if !test.toGateway && apiserver.requests[0] != request {
				t.Error("the apiserver got a changed request")
			}
		})
	}
}

func TestTransport_requestToGateway(t *testing.T) {
	gateway := answering(200, "proven")
	made, err := newGatewayTransport(&rest.Config{Host: "https://gateway/cluster-a/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made.gateway = gateway
	request := requestOf(t, http.MethodGet, podsInShop+"?labelSelector=a%3Db%2Cc&limit=5", http.Header{"Authorization": {"Bearer t"}, "User-Agent": {"test"}})
	request.Host = "apiserver.example"
	response, err := (&splitTransport{made, answering(500, "")}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	sent := gateway.requests[0]
	if sent.URL.String() != "https://gateway/cluster-a"+podsInShop+"?labelSelector=a%3Db%2Cc&limit=5" || sent.Host != "" {
		t.Errorf("sent to %s, host %q", sent.URL, sent.Host)
	}
	if sent.Header.Get("Authorization") != "Bearer t" || sent.Header.Get("User-Agent") != "test" {
		t.Errorf("sent with %v", sent.Header)
	}
	if response.Request != request || request.URL.Host != "apiserver" {
		t.Errorf("the request of the caller is %v, that of the answer %v", request, response.Request)
	}
}

func TestTransport_otherAnswers_goToApiserverAtOnce(t *testing.T) {
	for _, test := range []struct {
		name    string
		gateway *server
	}{
		{"unknown caller", answering(401, "apiserver")},
		{"forbidden", answering(403, "apiserver")},
		{"expired", answering(410, "apiserver")},
		{"subresource", answering(405, "gateway")},
		{"too many", answering(429, "gateway")},
		{"relayed error", answering(500, "apiserver")},
		{"redirect", answering(302, "")},
		{"no gateway", answering(200, "")},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var reasons []string
				apiserver := answering(200, "")
				report := OnApiserver(func(_ *http.Request, reason string) { reasons = append(reasons, reason) })
				get(t, split(t, test.gateway, apiserver, report), podsInShop, nil)
				if test.gateway.count() != 1 || apiserver.count() != 1 || time.Since(began) != 0 || len(reasons) != 1 {
					t.Errorf("%d and %d requests after %s, %q", test.gateway.count(), apiserver.count(), time.Since(began), reasons)
				}
			})
		})
	}
}

func TestTransport_absentGateway_readsWaitThenGoToApiserver(t *testing.T) {
	for name, gateway := range map[string]*server{"no connection": failing(), "ending": answering(503, "gateway"), "proxy": answering(502, "")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				apiserver := answering(200, "")
				transport := split(t, gateway, apiserver)
				began := time.Now()
				get(t, transport, podsInShop, nil)
				if waited := time.Since(began); waited < 8*time.Second || waited > 10*time.Second || gateway.count() < 5 {
					t.Errorf("waited %s, %d attempts", waited, gateway.count())
				}
				// Later reads wait no more, and try the gateway once in an interval.
				time.Sleep(defaultMaxWait)
				attempts, began := gateway.count(), time.Now()
				for range 20 {
					get(t, transport, podsInShop, nil)
				}
				if gateway.count() != attempts+1 || time.Since(began) != 0 || apiserver.count() != 21 {
					t.Errorf("%d more attempts, waited %s, %d requests to the apiserver", gateway.count()-attempts, time.Since(began), apiserver.count())
				}
			})
		})
	}
}

func TestTransport_waitForGateway_boundsTheWait(t *testing.T) {
	for _, limit := range []time.Duration{0, 3 * time.Second} {
		t.Run(limit.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gateway, apiserver := failing(), answering(200, "")
				transport := split(t, gateway, apiserver, WaitForGateway(limit))
				began := time.Now()
				get(t, transport, podsInShop, nil)
				// The last sleep, of at most two seconds, would end after the limit.
				if waited := time.Since(began); waited > limit || waited < limit-longestSleep || gateway.count() == 0 || apiserver.count() != 1 {
					t.Errorf("waited %s, %d attempts, %d requests to the apiserver", waited, gateway.count(), apiserver.count())
				}
			})
		})
	}
}

func TestTransport_gatewayThatReturns_isUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		present := answering(200, "cache")
		apiserver := answering(200, "")
		began := time.Now()
		gateway := &server{answer: func(request *http.Request) (*http.Response, error) {
			if time.Since(began) < 6*time.Second || time.Since(began) > time.Minute && time.Since(began) < 2*time.Minute {
				return failing().answer(request)
			}
			return present.answer(request)
		}}
		transport := split(t, gateway, apiserver)
		get(t, transport, podsInShop, nil)
		if apiserver.count() != 0 {
			t.Error("a restart sent a read to the apiserver")
		}
		time.Sleep(time.Minute)
		get(t, transport, podsInShop, nil)
		if apiserver.count() != 1 {
			t.Errorf("%d requests to the apiserver in an outage", apiserver.count())
		}
		time.Sleep(time.Minute)
		get(t, transport, podsInShop, nil)
		if apiserver.count() != 1 {
			t.Error("the gateway was not used after the outage")
		}
	})
}

func TestTransport_deadline_halfOfItIsLeftForApiserver(t *testing.T) {
	for name, gateway := range map[string]*server{"absent": failing(), "silent": silent()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
				defer cancel()
				began := time.Now()
				response, err := split(t, gateway, answering(200, "")).RoundTrip(requestOf(t, "", podsInShop, nil).WithContext(ctx))
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
				if waited := time.Since(began); waited > 2*time.Second {
					t.Errorf("waited %s of 4 s", waited)
				}
			})
		})
	}
}

// A list that fails does not wait for ever because other requests are answered.
func TestTransport_failuresBesideAnswers_endTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		present, away := answering(200, "cache"), answering(503, "gateway")
		gateway := &server{answer: func(request *http.Request) (*http.Response, error) {
			if strings.HasSuffix(request.URL.Path, "/pods") {
				return away.answer(request)
			}
			return present.answer(request)
		}}
		apiserver := answering(200, "")
		transport := split(t, gateway, apiserver)
		ended := make(chan struct{})
		go func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(time.Second):
					get(t, transport, "/api/v1/configmaps", nil)
				}
			}
		}()
		began := time.Now()
		get(t, transport, podsInShop, nil)
		close(ended)
		synctest.Wait()
		if waited := time.Since(began); waited > defaultMaxWait || apiserver.count() != 1 {
			t.Errorf("waited %s, %d requests to the apiserver", waited, apiserver.count())
		}
	})
}

// A request without an answer is no outage while others are answered.
func TestTransport_slowRequest_doesNotDivertOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, present := silent(), answering(200, "cache")
		gateway := &server{answer: func(request *http.Request) (*http.Response, error) {
			if strings.HasSuffix(request.URL.Path, "/pods") {
				return slow.answer(request)
			}
			return present.answer(request)
		}}
		apiserver := answering(200, "")
		transport := split(t, gateway, apiserver)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			get(t, transport, podsInShop, nil)
		}()
		time.Sleep(30 * time.Second)
		get(t, transport, "/api/v1/configmaps", nil)
		<-ended
		get(t, transport, "/api/v1/configmaps", nil)
		if apiserver.count() != 1 {
			t.Errorf("%d requests to the apiserver", apiserver.count())
		}
	})
}

// The answer of an apiserver, at whose address a gateway was expected, never ends.
func TestTransport_endlessAnswerOfNoGateway_isNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless, writer := io.Pipe()
		defer writer.Close()
		gateway := &server{answer: func(request *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: endless, Request: request}, nil
		}}
		apiserver := answering(200, "")
		get(t, split(t, gateway, apiserver), podsInShop+"?watch=true", nil)
		if apiserver.count() != 1 {
			t.Error("the request did not come to the apiserver")
		}
	})
}

func TestTransport_cancelledRead_ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		apiserver := answering(200, "")
		_, err := split(t, failing(), apiserver).RoundTrip(requestOf(t, "", podsInShop, nil).WithContext(ctx))
		if !errors.Is(err, context.Canceled) || apiserver.count() != 0 {
			t.Errorf("ended with %v, %d requests to the apiserver", err, apiserver.count())
		}
	})
}

func TestTransport_silentGateway_goesToApiserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		apiserver := answering(200, "")
		began := time.Now()
		get(t, split(t, silent(), apiserver), podsInShop, nil)
		if apiserver.count() != 1 || time.Since(began) > headerTimeout {
			t.Errorf("%d requests to the apiserver after %s", apiserver.count(), time.Since(began))
		}
	})
}

func TestTransport_forResources_othersGoToApiserver(t *testing.T) {
	gateway, apiserver := answering(200, "cache"), answering(200, "")
	transport := split(t, gateway, apiserver, ForResources(schema.GroupResource{Resource: "secrets"}))
	get(t, transport, "/api/v1/secrets", nil)
	get(t, transport, "/api/v1/pods", nil)
	if gateway.count() != 1 || apiserver.count() != 1 {
		t.Errorf("%d requests to the gateway, %d to the apiserver", gateway.count(), apiserver.count())
	}
}

func TestTransport_addresses(t *testing.T) {
	for host, fault := range map[string]string{
		"https://gateway": "", "http://127.0.0.1:6443": "", "http://localhost:6443": "", "http://[::1]:6443": "",
		"http://gateway": "no TLS", "gateway:6443": "no TLS", "https://gateway:port": "cannot be used",
	} {
		if _, err := Transport(&rest.Config{Host: host}); (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := Transport(&rest.Config{Host: "https://gateway", TLSClientConfig: rest.TLSClientConfig{CAFile: "missing"}}); err == nil {
		t.Error("a CA file that is missing was accepted")
	}
}

// testServer is a Kubernetes API that answers each read with an empty list, and watches as the test says.
func testServer(t *testing.T, source string, watch http.HandlerFunc) (*httptest.Server, func() []*http.Request) {
	t.Helper()
	var mu sync.Mutex
	var requests []*http.Request
	started := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		mu.Lock()
		requests = append(requests, request)
		mu.Unlock()
		writer.Header().Set("Content-Type", "application/json")
		if source != "" {
			writer.Header().Set(sourceHeader, source)
		}
		if request.URL.Query().Has("watch") {
			watch(writer, request)
			return
		}
		_, _ = io.WriteString(writer, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)
	}))
	t.Cleanup(started.Close)
	return started, func() []*http.Request {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(requests)
	}
}

type headerTransport struct {
	name string
	next http.RoundTripper
}

func (h headerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set(h.name, "set")
	return h.next.RoundTrip(request)
}

func wrapper(name string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return headerTransport{name, next} }
}

// The token of the configuration, and what wrappers add that are added later, are sent to the gateway; what earlier ones add is not.
func TestTransport_orderOfWrappersAndCredentials(t *testing.T) {
	gateway, atGateway := testServer(t, "cache", nil)
	apiserver, atApiserver := testServer(t, "", nil)
	config := &rest.Config{Host: apiserver.URL, BearerToken: "secret", UserAgent: "controller"}
	config.Wrap(wrapper("X-Earlier"))
	through, err := Transport(&rest.Config{Host: gateway.URL, BearerToken: "of the gateway"})
	if err != nil {
		t.Fatal(err)
	}
	config.Wrap(through)
	config.Wrap(wrapper("X-Later"))
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	_, _ = client.CoreV1().Pods("shop").Create(t.Context(), &corev1.Pod{}, metav1.CreateOptions{})
	if len(atGateway()) != 1 || len(atApiserver()) != 1 {
		t.Fatalf("%d requests to the gateway, %d to the apiserver", len(atGateway()), len(atApiserver()))
	}
	read, write := atGateway()[0].Header, atApiserver()[0].Header
	if read.Get("Authorization") != "Bearer secret" || read.Get("User-Agent") != "controller" || read.Get("X-Earlier") != "" || read.Get("X-Later") != "set" {
		t.Errorf("the gateway got %v", read)
	}
	if write.Get("Authorization") != "Bearer secret" || write.Get("X-Earlier") != "set" || write.Get("X-Later") != "set" {
		t.Errorf("the apiserver got %v", write)
	}
}

func TestTransport_metadataClient_readsAtGateway(t *testing.T) {
	gateway, atGateway := testServer(t, "cache", nil)
	apiserver, atApiserver := testServer(t, "", nil)
	through, err := Transport(&rest.Config{Host: gateway.URL})
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{Host: apiserver.URL}
	config.Wrap(through)
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	// The list of the test is of pods, so only the way of the request counts.
	_, _ = client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).List(t.Context(), metav1.ListOptions{})
	if len(atGateway()) != 1 || len(atApiserver()) != 0 {
		t.Errorf("%d requests to the gateway, %d to the apiserver", len(atGateway()), len(atApiserver()))
	}
}

// A watch that has begun is never repeated: what its caller has received would come again.
func TestTransport_brokenWatch_endsAtTheCaller(t *testing.T) {
	gateway, _ := testServer(t, "cache", func(writer http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(writer, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","resourceVersion":"8"}}}`+"\n")
		_ = http.NewResponseController(writer).Flush()
		panic(http.ErrAbortHandler)
	})
	apiserver, atApiserver := testServer(t, "", nil)
	through, err := Transport(&rest.Config{Host: gateway.URL})
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{Host: apiserver.URL}
	config.Wrap(through)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for event := range watch.ResultChan() {
		if pod, ok := event.Object.(*corev1.Pod); ok {
			names = append(names, pod.Name)
		}
	}
	if !slices.Equal(names, []string{"web"}) || len(atApiserver()) != 0 {
		t.Errorf("got %q, and %d requests to the apiserver", names, len(atApiserver()))
	}
}
