package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	pb "watchgate.io/examples/go/watchgatev1"
)

// Key identifies one object; an object that is created again has another key.
type Key struct{ Namespace, Name, UID string }

// Watch keeps objects that follow the server's: Objects has the state at Token.
type Watch struct {
	Clients   []pb.WatchServiceClient // one for each replica
	Selection *pb.Selection
	Token     []byte
	Objects   map[Key]*pb.WatchEvent
	Changed   func(what string, event *pb.WatchEvent) // ADDED, MODIFIED or DELETED; then without object if a snapshot lacks it
	Reached   func(what string)                       // SYNCED: a snapshot is complete; RESUMED: continues from a token
	Failed    func(failure Failure)

	BearerToken        func() (string, error) // asked for with each stream; nil: none is sent
	FirstAnswerTimeout time.Duration          // time to retry while only other servers answer, and no gateway ever did

	streams    int // each is opened at the next replica
	failures   int
	silence    time.Duration // three bookmark intervals
	answered   bool          // by a gateway, ever
	wrongSince time.Time     // time of the first answer that may be of a wrong address
}

// Run opens a new stream after the end of any stream, until ctx ends or the server says STOP; that failure is returned. It also fails if
// no gateway has answered for FirstAnswerTimeout.
func (w *Watch) Run(ctx context.Context) error {
	w.silence = 90 * time.Second
	for {
		within, failure := w.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause := time.Duration(0)
		if failure != nil {
			w.Failed(*failure)
			w.answered = w.answered || failure.Reason != ""
			if !w.answered && failure.mayBeWrongAddress() {
				if w.wrongSince.IsZero() {
					w.wrongSince = time.Now()
				}
				if tried := time.Since(w.wrongSince); tried >= w.FirstAnswerTimeout {
					return failure.noGateway(tried)
				}
			}
			switch failure.Action {
			case "STOP":
				return *failure
			case "RESTART":
				w.Token = nil
			}
			w.failures++
			within = min(30*time.Second, 250*time.Millisecond<<min(w.failures, 7))
			pause = failure.retryDelay
		}
		select {
		case <-time.After(pause + rand.N(within+1)): // random, so that not all clients return at once
		case <-ctx.Done():
			return nil
		}
	}
}

// follow reads one stream to its end. It returns within which time to open the next.
func (w *Watch) follow(parent context.Context) (time.Duration, *Failure) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	silence := time.AfterFunc(w.silence, func() {
		cancel(status.Errorf(codes.DeadlineExceeded, "silent for %s", w.silence))
	})
	defer silence.Stop()
	if w.BearerToken != nil {
		token, err := w.BearerToken()
		if err != nil {
			return 0, failureOf(status.Errorf(codes.Unavailable, "there is no token to send: %v", err), nil)
		}
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	start := &pb.ListAndWatchRequest_ResumeToken{ResumeToken: w.Token}
	request := &pb.ListAndWatchRequest{Selection: w.Selection, Start: start, ClientName: "watch.go"}
	if len(w.Clients) > 1 {
		request.Features = []string{"replicas"}
	}
	client := w.Clients[w.streams%len(w.Clients)]
	w.streams++
	stream, err := client.ListAndWatch(ctx, request)
	if err != nil {
		return 0, failureOf(err, nil)
	}
	var held []*pb.WatchEvent // not applied before a token comes: the state and the token never differ
	snapshot := false
	for {
		silence.Reset(w.silence)
		response, err := stream.Recv()
		if !silence.Stop() && parent.Err() == nil {
			return 0, failureOf(context.Cause(ctx), nil)
		}
		if err != nil {
			return 0, failureOf(err, stream.Trailer())
		}
		switch signal := response.Signal.(type) {
		case *pb.ListAndWatchResponse_Opened:
			w.answered = true
			if interval := signal.Opened.GetDelivery().GetBookmarkInterval(); interval != nil {
				w.silence = 3 * interval.AsDuration()
			}
		case *pb.ListAndWatchResponse_SnapshotStarted:
			held, snapshot = nil, true
		}
		for _, event := range response.Events {
			if !canApply(event) { // with the same token it would come again
				failure := failureOf(status.Error(codes.Internal, "an event cannot be applied"), nil)
				failure.Action = "RESTART"
				return 0, failure
			}
		}
		held = append(held, response.Events...)
		if len(response.ResumeToken) > 0 {
			if snapshot {
				w.replace(held)
			} else {
				w.apply(held)
			}
			held, snapshot = nil, false
			w.Token = response.ResumeToken
			w.failures = 0
		}
		switch signal := response.Signal.(type) {
		case *pb.ListAndWatchResponse_Synced:
			w.Reached("SYNCED")
		case *pb.ListAndWatchResponse_Resumed:
			w.Reached("RESUMED")
		case *pb.ListAndWatchResponse_GoingAway:
			return signal.GoingAway.GetReconnectWithin().AsDuration(), nil
		}
	}
}

// canApply reports false for an unknown type, and for a patch, which this client does not ask for.
func canApply(event *pb.WatchEvent) bool {
	switch event.Type {
	case pb.EventType_EVENT_TYPE_ADDED, pb.EventType_EVENT_TYPE_MODIFIED, pb.EventType_EVENT_TYPE_DELETED:
		return event.GetPatch() == nil
	}
	return false
}

func (w *Watch) apply(events []*pb.WatchEvent) {
	for _, event := range events {
		if event.Type == pb.EventType_EVENT_TYPE_DELETED {
			delete(w.Objects, keyOf(event))
		} else {
			w.Objects[keyOf(event)] = event
		}
		w.Changed(strings.TrimPrefix(event.Type.String(), "EVENT_TYPE_"), event)
	}
}

// replace replaces the state by the snapshot, and reports the differences.
func (w *Watch) replace(snapshot []*pb.WatchEvent) {
	before := w.Objects
	w.Objects = make(map[Key]*pb.WatchEvent, len(snapshot))
	for _, event := range snapshot {
		w.Objects[keyOf(event)] = event
	}
	for key, event := range before {
		if w.Objects[key] == nil {
			w.Changed("DELETED", &pb.WatchEvent{Key: event.Key})
		}
	}
	for key, event := range w.Objects {
		if held := before[key]; held == nil {
			w.Changed("ADDED", event)
		} else if held.ResourceVersion != event.ResourceVersion || !bytes.Equal(held.GetObject(), event.GetObject()) {
			w.Changed("MODIFIED", event)
		}
	}
}

func keyOf(event *pb.WatchEvent) Key {
	return Key{event.Key.GetNamespace(), event.Key.GetName(), event.Key.GetUid()}
}
