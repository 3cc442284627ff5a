// A minimal client of Watchgate: the objects that match, in a map that stays right over restarts, with TLS, a token and several servers.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	pb "watchgate.io/examples/go/watchgatev1"
)

type key struct{ namespace, name string }

var (
	objects  = map[key]json.RawMessage{} // at the position of the token
	token    []byte
	failures int
)

func (k key) String() string { return k.namespace + "/" + k.name }

func keyOf(event *pb.WatchEvent) key { return key{event.Key.GetNamespace(), event.Key.GetName()} }

func apply(events []*pb.WatchEvent, isSnapshot bool) {
	present := map[key]bool{}
	for _, event := range events {
		present[keyOf(event)] = true
	}
	for key := range objects {
		if isSnapshot && !present[key] {
			delete(objects, key)
			show("DELETED", key.String(), nil)
		}
	}
	for _, event := range events {
		what := strings.TrimPrefix(event.Type.String(), "EVENT_TYPE_")
		if what == "DELETED" {
			delete(objects, keyOf(event))
		} else {
			objects[keyOf(event)] = event.GetObject() // nil if omitted: present, but too large to be sent
		}
		show(what, keyOf(event).String(), event.GetObject())
	}
}

func show(what, key string, object json.RawMessage) {
	line, _ := json.Marshal(map[string]any{"what": what, "key": key, "value": object})
	fmt.Println(string(line))
}

// follow reads one stream until it ends. It returns the time within which to open the next, or the server's action and the error.
func follow(server string, options []grpc.DialOption, request *pb.ListAndWatchRequest, tokenFile string) (time.Duration, string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	connection, err := grpc.NewClient(server, options...)
	if err != nil {
		return 0, "STOP", err
	}
	defer connection.Close()
	if tokenFile != "" {
		text, err := os.ReadFile(tokenFile) // for each stream, because it expires
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			err = fmt.Errorf("%s is empty: it is being replaced", tokenFile)
		}
		if err != nil {
			return 0, "RESUME", err
		}
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+string(bytes.TrimSpace(text)))
	}
	request.Start = &pb.ListAndWatchRequest_ResumeToken{ResumeToken: token}
	stream, err := pb.NewWatchServiceClient(connection).ListAndWatch(ctx, request)
	if err != nil {
		return 0, "RESUME", err
	}
	silence := 90 * time.Second // three bookmark intervals
	timer := time.AfterFunc(silence, cancel)
	defer timer.Stop()
	var held []*pb.WatchEvent
	isSnapshot := false
	for {
		response, err := stream.Recv()
		if err != nil {
			return 0, strings.Join(stream.Trailer().Get("watchgate-action"), ""), err
		}
		switch signal := response.Signal.(type) {
		case *pb.ListAndWatchResponse_Opened:
			if interval := signal.Opened.GetDelivery().GetBookmarkInterval(); interval != nil {
				silence = 3 * interval.AsDuration()
			}
		case *pb.ListAndWatchResponse_SnapshotStarted:
			held, isSnapshot = nil, true
		}
		timer.Reset(silence)
		held = append(held, response.Events...)
		if len(response.ResumeToken) > 0 { // until it comes, the events are not complete
			apply(held, isSnapshot)
			held, isSnapshot, token, failures = nil, false, response.ResumeToken, 0
		}
		switch signal := response.Signal.(type) {
		case *pb.ListAndWatchResponse_Synced:
			show("SYNCED", "", nil)
		case *pb.ListAndWatchResponse_Resumed:
			show("RESUMED", "", nil)
		case *pb.ListAndWatchResponse_GoingAway:
			return signal.GoingAway.GetReconnectWithin().AsDuration(), "", nil
		}
	}
}

// waitAfter waits after a failure as the server asks, and for a random time that grows.
func waitAfter(err error) {
	failures++
	wait := rand.N(min(30*time.Second, 250*time.Millisecond<<min(failures, 7)))
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			wait += info.RetryDelay.AsDuration()
		}
	}
	time.Sleep(wait)
}

func main() {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		log.Fatal("usage: minimal RESOURCE [flags]; the resource comes first")
	}
	request := &pb.ListAndWatchRequest{Selection: &pb.Selection{ResourceType: &pb.ResourceType{Resource: os.Args[1]}}}
	flags := flag.NewFlagSet("RESOURCE", flag.ExitOnError)
	var servers []string
	add := func(to *[]string) func(string) error {
		return func(value string) error { *to = append(*to, value); return nil }
	}
	flags.Func("server", "`HOST:PORT`; repeat it for several replicas", add(&servers))
	flags.Func("n", "`NAMESPACE`; may be repeated", add(&request.Selection.Namespaces))
	flags.StringVar(&request.Selection.LabelSelector, "l", "", "label `SELECTOR`")
	ca := flags.String("tls-ca", "", "PEM `FILE`")
	serverName := flags.String("tls-server-name", "", "`NAME` in the certificate")
	tokenFile := flags.String("bearer-token-file", "", "`FILE` with the caller's token")
	_ = flags.Parse(os.Args[2:])
	if len(servers) == 0 {
		log.Fatal("name a -server")
	}
	transport := insecure.NewCredentials()
	if *ca != "" {
		var err error
		if transport, err = credentials.NewClientTLSFromFile(*ca, *serverName); err != nil {
			log.Fatal(err)
		}
	}
	if len(servers) > 1 {
		request.Features = []string{"replicas"}
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	go func() { <-ended; os.Exit(0) }()
	for i := 0; ; i++ { // the next server whenever a stream ends
		within, action, err := follow(servers[i%len(servers)], options, request, *tokenFile)
		if err == nil {
			time.Sleep(rand.N(within + 1))
			continue
		}
		log.Print(err)
		if action == "STOP" {
			os.Exit(1)
		} else if action == "RESTART" {
			token = nil
		}
		waitAfter(err)
	}
}
