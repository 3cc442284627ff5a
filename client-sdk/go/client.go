package watchgate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"watchgate.io/client/watchgatev1"
)

const (
	defaultResponseBytes = 4 << 20
	callAttempts         = 4
	callTimeout          = time.Minute

	// Windows of a fixed size. Otherwise gRPC sends a ping with nearly every change, to measure the bandwidth, and the gateway has to answer it.
	streamWindow     = 1 << 20
	connectionWindow = 4 << 20 // of all streams to one gateway
)

// Client is a client of the replicas of a gateway, which share the streams. It may be used by several goroutines, and connects on first use.
type Client struct {
	settings settings
	replicas *replicaSet
	budget   retryBudget
	ctx      context.Context // ends with the client
	stop     context.CancelCauseFunc
}

// NewClient returns a client of the replicas at HOST:PORT. Without an option for TLS it uses plaintext.
func NewClient(addresses []string, options ...Option) (*Client, error) {
	client := &Client{settings: defaultSettings()}
	for _, option := range options {
		option(&client.settings)
	}
	if err := client.settings.check(); err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, errors.New("watchgate: NewClient needs the address of a gateway, HOST:PORT")
	}
	for _, address := range addresses {
		if _, _, err := net.SplitHostPort(address); err != nil && !strings.Contains(address, ":///") {
			return nil, fmt.Errorf("watchgate: the address %q is not HOST:PORT: %w", address, err)
		}
	}
	dial, tlsGeneration, err := client.settings.dialOptions()
	if err != nil {
		return nil, err
	}
	client.ctx, client.stop = context.WithCancelCause(context.Background())
	client.replicas = &replicaSet{
		connect:       func(address string) (*grpc.ClientConn, error) { return grpc.NewClient(address, dial...) },
		tlsGeneration: tlsGeneration,
	}
	if !client.settings.eachAddress {
		err = client.replicas.set(addresses)
	} else {
		client.replicas.resolve = resolver(addresses)
		if host, _, _ := net.SplitHostPort(addresses[0]); client.settings.tls != nil && client.settings.serverName == "" {
			dial = append(dial, grpc.WithAuthority(host)) // an address is not in the certificate
		}
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

func (s *settings) dialOptions() (options []grpc.DialOption, tlsGeneration func() int, err error) {
	var transport credentials.TransportCredentials = insecure.NewCredentials()
	tlsGeneration = func() int { return 0 }
	if s.tls != nil {
		reloading, err := newReloadingTLS(*s.tls)
		if err != nil {
			return nil, nil, err
		}
		transport = reloading
		tlsGeneration = func() int {
			_, generation := reloading.current()
			return generation
		}
	}
	pace := grpcbackoff.Config{BaseDelay: firstWait, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second}
	options = []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: pace, MinConnectTimeout: 10 * time.Second}),
		grpc.WithDisableRetry(), // a watch resumes at its own position
		grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithStaticConnWindowSize(connectionWindow),
	}
	if s.serverName != "" {
		options = append(options, grpc.WithAuthority(s.serverName))
	}
	return append(options, s.dial...), tlsGeneration, nil
}

// Close ends all watches and calls, with [ErrClosed], and closes the connections.
func (c *Client) Close() {
	c.stop(ErrClosed)
	c.replicas.close()
}

// withClientLifetime returns a context that ends with the client, too.
func (c *Client) withClientLifetime(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	unbind := context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		unbind()
		cancel(nil)
	}
}

// authorize adds the bearer token.
func (c *Client) authorize(ctx context.Context) (context.Context, *StatusError) {
	if c.settings.token == nil {
		return ctx, nil
	}
	token, err := c.settings.token(ctx)
	if err != nil {
		return ctx, unavailable("there is no token to send", err)
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token), nil
}

// List is the answer to [Client.List].
type List struct {
	Objects   []Change // each is ADDED
	Position  Position // a watch with [ResumeFrom] its token continues there
	HistoryID string
	Staleness time.Duration // how far the gateway may have been behind the apiserver
}

// List returns the objects that match, all of one version. It repeats a call that failed at one replica a few times. All pages come from one
// replica while it answers, because another one may not have their version.
func (c *Client) List(ctx context.Context, selection Selection, options ...RequestOption) (*List, error) {
	request, err := newRequest(selection, "", options).list()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		list, err := c.list(ctx, request)
		var failure *StatusError
		if errors.As(err, &failure) && failure.Action == Restart && attempt < callAttempts {
			continue // the version of the pages is no longer held: from the first page on
		}
		return list, err
	}
}

func (c *Client) list(ctx context.Context, request *watchgatev1.ListObjectsRequest) (*List, error) {
	list := &List{}
	request.PageToken = nil
	limit := max(int(request.MaxResponseBytes), defaultResponseBytes)
	var at *replica
	for {
		page, by, err := call(ctx, c, at, request, watchgatev1.WatchServiceClient.ListObjects, grpc.MaxCallRecvMsgSize(limit))
		if err != nil {
			return nil, err
		}
		at = by
		objects, ok := changesOf(page.Objects)
		if !ok {
			return nil, errors.New("watchgate: the list has an object that this client cannot read and did not ask for")
		}
		if len(request.PageToken) == 0 {
			list.Staleness = page.Staleness.AsDuration()
		}
		list.Objects = append(list.Objects, objects...)
		if len(page.NextPageToken) == 0 {
			list.Position = Position{page.ResourceVersion, page.ResumeToken}
			list.HistoryID = page.HistoryId
			return list, nil
		}
		request.PageToken = page.NextPageToken
	}
}

// Types returns the resource types that can be watched, and their state. It repeats a call that failed at one replica a few times.
func (c *Client) Types(ctx context.Context) ([]*watchgatev1.ServedType, error) {
	answer, _, err := call(ctx, c, nil, &watchgatev1.ListResourceTypesRequest{}, watchgatev1.WatchServiceClient.ListResourceTypes)
	return answer.GetTypes(), err
}

// call makes a unary call at one replica after the other, until one answers, and returns that replica. It begins at the replica first, if there
// still is one; nil: at any.
func call[Q, A any](ctx context.Context, c *Client, first *replica, request Q,
	method func(watchgatev1.WatchServiceClient, context.Context, Q, ...grpc.CallOption) (A, error), options ...grpc.CallOption) (A, *replica, error) {
	ctx, release := c.withClientLifetime(ctx)
	defer release()
	var none A
	var left *replica
	wait := backoff{}
	for attempt := 1; ; attempt++ {
		at, err := first, error(nil)
		if attempt > 1 || !c.replicas.has(first) {
			at, err = c.replicas.choose(ctx, left)
		}
		if err != nil && context.Cause(ctx) == nil {
			return none, nil, unavailable("the gateway's name cannot be looked up", err)
		}
		var failure *StatusError
		if err == nil {
			var answer A
			if answer, failure = callAt(ctx, c, at, request, method, options); failure == nil {
				c.replicas.recordAnswer(at)
				return answer, at, nil
			}
		}
		if cause := context.Cause(ctx); cause != nil {
			return none, nil, cause
		}
		elsewhere := c.replicas.recordInterruption(at, failure)
		if failure.Action != Resume || attempt == callAttempts {
			return none, nil, failure
		}
		left = at
		delay := wait.next()
		if !elsewhere {
			delay += failure.RetryAfter
		}
		if !sleep(ctx, delay) {
			return none, nil, context.Cause(ctx)
		}
	}
}

func callAt[Q, A any](ctx context.Context, c *Client, at *replica, request Q,
	method func(watchgatev1.WatchServiceClient, context.Context, Q, ...grpc.CallOption) (A, error), options []grpc.CallOption) (A, *StatusError) {
	var none A
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	ctx, failure := c.authorize(ctx)
	if failure != nil {
		return none, failure
	}
	var trailer metadata.MD
	answer, err := method(c.replicas.service(at), ctx, request, append(options, grpc.Trailer(&trailer))...)
	if err != nil {
		return none, statusErrorOf(err, trailer)
	}
	return answer, nil
}
