package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/klog/v2"
)

const (
	sourceHeader   = "Watchgate-Source"
	defaultMaxWait = 10 * time.Second
	connectTimeout = 3 * time.Second
	headerTimeout  = time.Minute // for a list that the gateway relays, as long as an apiserver takes at most
	firstMaxSleep  = 100 * time.Millisecond
	longestSleep   = 2 * time.Second
)

// TransportOption changes a [Transport].
type TransportOption func(*gatewayTransport)

// ForResources sends reads of these types to the gateway, and of no others. Default: all but secrets, events and leases, which a gateway
// caches only on request.
func ForResources(resources ...schema.GroupResource) TransportOption {
	return func(t *gatewayTransport) {
		t.routes = func(resource schema.GroupResource) bool { return slices.Contains(resources, resource) }
	}
}

// WaitForGateway sets the time from the beginning of an outage of the gateway during which reads wait for it before they are sent to the
// apiserver. So a restart of the gateway does not move the load of all its clients to the apiserver. Default: 10 s. 0: reads do not wait. A
// request with a deadline leaves at least half of its time to the apiserver. A gateway that accepts a connection and does not answer is
// waited for a minute long, because it may relay a long list.
func WaitForGateway(maxWait time.Duration) TransportOption {
	return func(t *gatewayTransport) { t.availability.maxWait = maxWait }
}

// OnApiserver calls a function for each list and watch that the gateway could have answered and that is sent to the apiserver, with the
// reason in words. It is called on the goroutine of the request.
func OnApiserver(report func(request *http.Request, reason string)) TransportOption {
	return func(t *gatewayTransport) { t.report = report }
}

// Transport returns a wrapper for [rest.Config.Wrap] with which lists and watches are read from the Kubernetes read API of a gateway (serve
// --kube-listen):
//
//	through, err := kube.Transport(&rest.Config{
//		Host:            "https://watchgate.watchgate.svc",
//		TLSClientConfig: rest.TLSClientConfig{CAFile: "/etc/watchgate/ca.crt"},
//	})
//	config.Wrap(through)
//
// Every client that is made from the configuration afterwards uses it: typed, dynamic and metadata clients, informers, and managers of
// controller-runtime.
//
// # What is sent where
//
// A GET of a collection is sent to the gateway if all of it is known: the path, the parameters, JSON among the accepted formats, and no
// impersonation. All else goes to the apiserver: writes, objects, subresources, discovery, tables, unknown parameters, paths below a prefix
// of the apiserver's address.
//
// Only an answer 200 with the header Watchgate-Source is used. After any other answer the request goes to the apiserver unchanged, so that
// errors are the apiserver's own. While the gateway does not answer, see [WaitForGateway]. Once an answer has begun, it is the caller's: a
// watch that breaks off ends as at an apiserver, and a reflector continues from its version, which both servers understand.
//
// # Credentials
//
// The wrapper is called inside the authentication of client-go. So the gateway gets the request's own header Authorization: the bearer
// token for the apiserver, of the configuration, its token file or its exec plugin. The gateway asks the apiserver who the caller is and
// what the caller may read. Send it to no gateway that you would not trust with the token. Therefore http: is refused, except for addresses
// of this host.
//
// A client certificate for the apiserver stays on the apiserver's connections: the gateway gets no credentials then. The gateway then
// relays each read without credentials, the apiserver refuses it, and this transport sends the read to the apiserver again. So give the
// gateway's configuration a certificate (serve --kube-client-ca) or a token, which is used for requests that have no header Authorization.
//
// A wrapper that was added by Wrap before this one sees only requests to the apiserver, and what it adds is not sent to the gateway. A
// wrapper that is added afterwards sees all requests. Add wrappers that add credentials after this one. Add wrappers that count requests
// to the apiserver before it.
func Transport(gateway *rest.Config, options ...TransportOption) (transport.WrapperFunc, error) {
	made, err := newGatewayTransport(gateway, options)
	if err != nil {
		return nil, err
	}
	return func(apiserver http.RoundTripper) http.RoundTripper { return &splitTransport{made, apiserver} }, nil
}

// gatewayTransport is the transport to the gateway, shared by all clients of a configuration.
type gatewayTransport struct {
	address      *url.URL
	gateway      http.RoundTripper
	availability availability
	routes       func(schema.GroupResource) bool
	report       func(*http.Request, string)
}

func newGatewayTransport(gateway *rest.Config, options []TransportOption) (*gatewayTransport, error) {
	address, _, err := rest.DefaultServerUrlFor(gateway)
	if err != nil {
		return nil, fmt.Errorf("watchgate: the address of the gateway %q cannot be used: %w", gateway.Host, err)
	}
	if address.Scheme != "https" && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("watchgate: the gateway %s has no TLS: tokens would be readable on the network; use https:", address)
	}
	config := rest.CopyConfig(gateway)
	if config.Dial == nil {
		config.Dial = (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	t := &gatewayTransport{
		address:      address,
		availability: availability{maxWait: defaultMaxWait},
		routes:       func(resource schema.GroupResource) bool { return !slices.Contains(uncachedByDefault, resource) },
		report:       func(*http.Request, string) {},
	}
	if t.gateway, err = rest.TransportFor(config); err != nil {
		return nil, fmt.Errorf("watchgate: the configuration of the gateway cannot be used: %w", err)
	}
	for _, option := range options {
		option(t)
	}
	return t, nil
}

func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// splitTransport sends a request either to the gateway or to the apiserver.
type splitTransport struct {
	*gatewayTransport
	apiserver http.RoundTripper
}

// WrappedRoundTripper returns the transport to the apiserver, for functions of apimachinery that look for it.
func (t *splitTransport) WrappedRoundTripper() http.RoundTripper { return t.apiserver }

func (t *splitTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	resource, ok := collectionOf(request.URL)
	if !ok || !isPlainRead(request) || !t.routes(resource) {
		return t.apiserver.RoundTrip(request)
	}
	response, reason := t.read(request)
	if response != nil {
		return response, nil
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	if t.availability.shouldReport() {
		klog.FromContext(request.Context()).Info("Lists and watches go to the apiserver until the gateway answers", "gateway", t.address.String(), "reason", reason)
	}
	t.report(request, reason)
	return t.apiserver.RoundTrip(request)
}

// read returns the answer of the gateway, or the reason why the apiserver has to answer.
func (t *gatewayTransport) read(request *http.Request) (*http.Response, string) {
	began := time.Now()
	latest := began.Add(t.availability.maxWait)
	answerBy := began.Add(headerTimeout)
	if deadline, ok := request.Context().Deadline(); ok {
		half := began.Add(deadline.Sub(began) / 2)
		latest, answerBy = earlier(latest, half), earlier(answerBy, half)
	}
	maxSleep := firstMaxSleep
	for {
		if !t.availability.shouldTry() {
			return nil, "the gateway is away"
		}
		attempted := time.Now()
		response, err := t.attempt(request, time.Until(answerBy))
		if response != nil && isAnswer(response) {
			t.availability.answered()
			response.Request = request
			return response, ""
		}
		reason := reasonOf(response, err)
		if response != nil {
			// Not read: a server that is no gateway may send without an end.
			_ = response.Body.Close()
			if !isAway(response) {
				t.availability.answered()
				return nil, reason
			}
		}
		if request.Context().Err() != nil {
			return nil, reason
		}
		wait := rand.N(maxSleep)
		// The time of this request, too, since others may be answered meanwhile.
		until := earlier(t.availability.failed(attempted), latest)
		if time.Now().Add(wait).After(until) || !sleep(request.Context(), wait) {
			return nil, reason
		}
		maxSleep = min(2*maxSleep, longestSleep)
	}
}

// attempt sends a request to the gateway, and waits for the beginning of its answer.
func (t *gatewayTransport) attempt(request *http.Request, timeout time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	timer := time.AfterFunc(timeout, func() { cancel(errNoHeaders) })
	sent := request.Clone(ctx)
	sent.Host = ""
	address := *request.URL
	address.Scheme, address.Host = t.address.Scheme, t.address.Host
	address.Path, address.RawPath = strings.TrimSuffix(t.address.Path, "/")+request.URL.Path, ""
	sent.URL = &address
	response, err := t.gateway.RoundTrip(sent)
	if !timer.Stop() && err == nil {
		_ = response.Body.Close()
		err = errNoHeaders
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	response.Body = &cancellingBody{response.Body, cancel}
	return response, nil
}

var errNoHeaders = errors.New("no answer in time")

// cancellingBody ends the context of its request when it is closed.
type cancellingBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancellingBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

func isAnswer(response *http.Response) bool {
	return response.StatusCode == http.StatusOK && response.Header.Get(sourceHeader) != ""
}

// isAway reports whether a response means that no gateway can serve: a 5xx of a gateway that starts or stops, or of a proxy. A relayed 5xx of
// the apiserver does not count.
func isAway(response *http.Response) bool {
	return response.StatusCode >= http.StatusInternalServerError && response.Header.Get(sourceHeader) != "apiserver"
}

func reasonOf(response *http.Response, err error) string {
	switch {
	case err != nil:
		return "the gateway does not answer: " + err.Error()
	case response.Header.Get(sourceHeader) == "":
		return "the answer is not of a gateway: " + response.Status
	}
	return "the gateway answered " + response.Status
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// sleep reports whether the wait is over before ctx ends.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
