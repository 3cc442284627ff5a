// Package watchgatetest has a gateway within the process, for tests of programs that watch through a gateway.
//
//	gateway := watchgatetest.Start()
//	defer gateway.Close()
//	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway})
//	gateway.Put("shop", "web", `{"spec":{}}`)
//	gateway.Cut()
package watchgatetest

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/timestamppb"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatev1"
)

const bufferBytes = 64 << 10

// FakeGateway is a gateway of one resource type, whichever is asked for. Namespaces are selected as by a gateway. A request with label or field
// selectors is refused, because the fake does not read objects. It keeps the whole history, and may be used by several goroutines.
type FakeGateway struct {
	listener *bufconn.Listener
	server   *grpc.Server
	service  *service
}

// Start starts a gateway without objects.
func Start() *FakeGateway {
	pings := grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}) // as a gateway
	gateway := &FakeGateway{listener: bufconn.Listen(bufferBytes), server: grpc.NewServer(pings), service: newService()}
	watchgatev1.RegisterWatchServiceServer(gateway.server, gateway.service)
	go func() { _ = gateway.server.Serve(gateway.listener) }()
	return gateway
}

// Close ends the gateway and all of its streams.
func (g *FakeGateway) Close() { g.server.Stop() }

// NewClient returns a client whose replicas are the gateways.
func NewClient(gateways []*FakeGateway, options ...watchgate.Option) (*watchgate.Client, error) {
	addresses := make([]string, len(gateways))
	for i := range gateways {
		addresses[i] = "passthrough:///" + strconv.Itoa(i)
	}
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		i, err := strconv.Atoi(address)
		if err != nil {
			return nil, err
		}
		return gateways[i].listener.DialContext(ctx)
	}
	return watchgate.NewClient(addresses, append([]watchgate.Option{watchgate.WithDialOptions(grpc.WithContextDialer(dial))}, options...)...)
}

// Put creates or changes an object, and returns its resourceVersion. The JSON is sent as it is.
func (g *FakeGateway) Put(namespace, name, json string) string {
	return g.service.put(watchgate.Key{Namespace: namespace, Name: name}, []byte(json))
}

// Delete deletes an object, and returns the resourceVersion of the deletion. A later object of the name has another UID. It panics if there is no such object.
func (g *FakeGateway) Delete(namespace, name string) string {
	return g.service.delete(watchgate.Key{Namespace: namespace, Name: name})
}

// ResourceVersion returns the version of the last change.
func (g *FakeGateway) ResourceVersion() string {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	return g.service.versionText()
}

// Cut ends all streams as if the connection had been lost.
func (g *FakeGateway) Cut() {
	g.service.end(refusal{code: codes.Unavailable, message: "cut by the test"})
}

// EndAll ends all streams with an error. An empty reason is that of a proxy, without reason and action.
func (g *FakeGateway) EndAll(code codes.Code, reason string, action watchgate.Action) {
	g.service.end(refusal{code, reason, action, "ended by the test"})
}

// Refuse refuses new streams with an error until [FakeGateway.Admit].
func (g *FakeGateway) Refuse(code codes.Code, reason string, action watchgate.Action) {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	g.service.refusal = &refusal{code, reason, action, "refused by the test"}
}

// Admit admits new streams again.
func (g *FakeGateway) Admit() {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	g.service.refusal = nil
}

// ExpireTokens makes all present tokens and versions lead to a snapshot, as if the gateway had no history; or to an error, if a request asks for it.
func (g *FakeGateway) ExpireTokens() { g.service.expire(false) }

// LoseHistory makes all present tokens lead to a snapshot, as if the cluster had been restored from a backup. Open streams get a snapshot,
// or an error, if they asked for it.
func (g *FakeGateway) LoseHistory() { g.service.expire(true) }

// Bookmark sends a bookmark to all streams.
func (g *FakeGateway) Bookmark() {
	now := timestamppb.Now()
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	bookmark := g.service.at(g.service.version)
	bookmark.Signal = &watchgatev1.ListAndWatchResponse_Bookmark{Bookmark: &watchgatev1.Bookmark{VerifiedAt: now, SentAt: now}}
	g.service.send(bookmark)
}

// GoAway asks the clients of all streams to open another one within a time.
func (g *FakeGateway) GoAway(within time.Duration) { g.Send(goingAway(within)) }

// Send sends a response to all streams.
func (g *FakeGateway) Send(response *watchgatev1.ListAndWatchResponse) {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	g.service.send(response)
}

// Requests returns the requests of all streams so far, refused ones, too.
func (g *FakeGateway) Requests() []*watchgatev1.ListAndWatchRequest {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	return slices.Clone(g.service.requests)
}

// Streams returns the number of open streams.
func (g *FakeGateway) Streams() int {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	return len(g.service.streams)
}

// AwaitStreams waits until the number of open streams is as given.
func (g *FakeGateway) AwaitStreams(ctx context.Context, count int) error {
	for {
		g.service.mu.Lock()
		open, changed := len(g.service.streams), g.service.changed
		g.service.mu.Unlock()
		if open == count {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("there are %d streams, not %d: %w", open, count, context.Cause(ctx))
		}
	}
}

// Authorizations returns the header authorization of each request of a stream so far; empty where there was none.
func (g *FakeGateway) Authorizations() []string {
	g.service.mu.Lock()
	defer g.service.mu.Unlock()
	return slices.Clone(g.service.authorizations)
}

func tokenOf(version int64) []byte { return []byte("fake-" + strconv.FormatInt(version, 10)) }

func versionOf(token []byte) (int64, error) {
	return strconv.ParseInt(strings.TrimPrefix(string(token), "fake-"), 10, 64)
}
