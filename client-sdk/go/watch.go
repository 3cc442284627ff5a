package watchgate

import (
	"context"
	"errors"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"watchgate.io/client/watchgatev1"
)

const (
	defaultSilence = 90 * time.Second // three bookmark intervals of 30 s
	forbiddenWait  = 10 * time.Second // the least after an error that only an administrator can fix
)

// Watch returns the objects that match, as a snapshot, and then every change to them. It opens streams one after the other, and continues after
// the last position, for as long as the range is read. Leaving the range or the end of ctx closes the stream.
//
// The range ends with an error in three cases: the gateway says STOP; the client is closed; or, before any gateway has answered, only other
// servers answer for the time of [WithFirstAnswerTimeout]. Where no server answers, it tries again without a limit. Otherwise it ends only with
// ctx, without an error. Interruptions are reported as [Interrupted] and [Reconnected]. An event counts as
// applied when the loop asks for the next one. Each range statement opens a watch of its own.
func (c *Client) Watch(ctx context.Context, selection Selection, options ...RequestOption) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		request := newRequest(selection, c.settings.clientName, options).watch
		w := &watcher{client: c, request: request, yield: yield}
		switch start := request.Start.(type) {
		case *watchgatev1.ListAndWatchRequest_ResumeToken:
			w.hadPosition = len(start.ResumeToken) > 0
		case nil:
		default:
			w.hadPosition = true
		}
		w.run(ctx)
	}
}

// watcher is one watch over as many streams as needed.
type watcher struct {
	client  *Client
	request *watchgatev1.ListAndWatchRequest
	yield   func(Event, error) bool
	stopped bool // the caller left the loop

	position    *Position // last one that was applied
	startOver   bool      // after RESTART even the start of the request is out of date
	lostHistory bool      // a gateway has said that the timeline is another one
	hadPosition bool      // the program has a state that a snapshot would replace
	collecting  bool      // a snapshot has begun and is not complete
	unusable    bool      // the last failure is an event that cannot be applied, or a group that is too large

	replica    *replica // of the present or the last stream
	outage     *outage  // nil while a stream continues the watch
	backoff    backoff
	wrongSince time.Time // time of the first answer that may be of a wrong address
}

// outage lasts from the first interruption until a stream continues the watch.
type outage struct {
	cause    error
	since    time.Time
	attempts int
	last     Position
}

func (w *watcher) emit(event Event) bool {
	switch event.(type) {
	case SnapshotBegun:
		w.collecting = true
	case SnapshotComplete, Interrupted:
		w.collecting = false
	}
	w.stopped = !w.yield(event, nil)
	return !w.stopped
}

func (w *watcher) run(parent context.Context) {
	ctx, release := w.client.withClientLifetime(parent)
	defer release()
	for {
		cause := w.follow(ctx)
		if w.stopped {
			return
		}
		if ctx.Err() != nil {
			break
		}
		delay, err := w.nextDelay(cause)
		if err != nil {
			w.yield(nil, err)
			return
		}
		discarded := w.collecting
		if !w.emit(Interrupted{cause, w.outage.attempts, delay, discarded}) {
			return
		}
		if !sleep(ctx, delay) {
			break
		}
	}
	if parent.Err() == nil {
		w.yield(nil, ErrClosed)
	}
}

// follow reads one stream and returns why it ended.
func (w *watcher) follow(parent context.Context) error {
	var avoid *replica
	if w.outage != nil {
		avoid = w.replica
	}
	at, err := w.client.replicas.choose(parent, avoid)
	w.replica = at
	if err != nil {
		return unavailable("the gateway's name cannot be looked up", err)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	ctx, failure := w.client.authorize(ctx)
	if failure != nil {
		return failure
	}
	silence := defaultSilence
	if asked, ok := silenceOf(w.request.Delivery); ok {
		silence = max(silence, asked) // until the gateway has answered
	}
	timer := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer timer.Stop()
	stream, err := w.client.replicas.service(at).ListAndWatch(ctx, w.nextRequest(), grpc.MaxCallRecvMsgSize(w.maxResponseBytes()))
	if err != nil {
		return causeOf(ctx, silence, statusErrorOf(err, nil))
	}
	defer func() { // the end of the stream also ends the goroutine of gRPC that waits for it
		cancel(nil)
		for err == nil {
			_, err = stream.Recv()
		}
	}()
	parts := assembler{maxGroupBytes: w.client.settings.maxGroupBytes}
	for {
		var response *watchgatev1.ListAndWatchResponse
		if response, err = stream.Recv(); err != nil {
			return causeOf(ctx, silence, statusErrorOf(err, stream.Trailer()))
		}
		timer.Stop() // the program's time is not the gateway's silence
		if opened := response.GetOpened(); opened != nil {
			w.client.replicas.recordAdmission(at)
			if asked, ok := silenceOf(opened.Delivery); ok {
				silence = asked
			}
			if !w.emit(Opened{opened}) {
				return nil
			}
		}
		if cause := w.apply(&parts, response); cause != nil || w.stopped {
			return cause
		}
		if away := response.GetGoingAway(); away != nil {
			return &GoingAwayError{away.Reason, max(away.ReconnectWithin.AsDuration(), 0)}
		}
		if cause := causeOf(ctx, silence, nil); cause != nil {
			return cause
		}
		timer.Reset(silence)
	}
}

// errSilent ends the context of a silent stream.
var errSilent = errors.New("silent")

// causeOf returns the end of a stream: its error, or the silence that ended it.
func causeOf(ctx context.Context, silence time.Duration, failure error) error {
	if context.Cause(ctx) == errSilent {
		return &SilenceError{silence}
	}
	return failure
}

func (w *watcher) apply(parts *assembler, response *watchgatev1.ListAndWatchResponse) error {
	if response.GetResumed() != nil || response.GetSnapshotStarted() != nil {
		if ended := w.outage; ended != nil {
			w.outage = nil
			if !w.emit(Reconnected{ended.cause, ended.attempts, time.Since(ended.since), w.continuation(response), ended.last}) {
				return nil
			}
		}
	}
	events, reached, err := parts.accept(response)
	if err != nil {
		w.unusable = true
		return err
	}
	for _, event := range events {
		if !w.emit(event) {
			return nil
		}
	}
	if reached != nil {
		isNew := w.position == nil || string(w.position.Token) != string(reached.Token)
		if w.unusable {
			// The snapshot after an event that cannot be applied is no progress: the next such event asks for another snapshot.
			isNew = response.GetBookmark() != nil
		}
		if isNew {
			w.backoff.reset()
			w.unusable = false
		}
		w.position, w.hadPosition = reached, true
	}
	return nil
}

func (w *watcher) continuation(response *watchgatev1.ListAndWatchResponse) Continuation {
	switch {
	case response.GetSnapshotStarted() != nil && w.hadPosition:
		return FromSnapshot
	case response.GetSnapshotStarted() != nil:
		return StartedOver
	case w.position == nil && w.request.GetFromNow() != nil:
		return FromPresent
	}
	return FromPosition
}

func (w *watcher) nextRequest() *watchgatev1.ListAndWatchRequest {
	next := proto.CloneOf(w.request)
	switch {
	case w.position != nil && len(w.position.Token) > 0:
		next.MinimumResourceVersion = "" // the token is at or after it
		next.Start = &watchgatev1.ListAndWatchRequest_ResumeToken{ResumeToken: w.position.Token}
	case w.startOver:
		next.Start = nil
	}
	if w.lostHistory {
		next.MinimumResourceVersion = "" // of another timeline, whose versions this one may never reach
	}
	if w.client.replicas.knowsOther(w.replica) {
		next.Features = append(next.Features, "replicas")
	}
	return next
}

// maxResponseBytes is never less than the default, because the gateway may raise a small limit.
func (w *watcher) maxResponseBytes() int {
	return max(int(w.request.Delivery.GetMaxResponseBytes()), defaultResponseBytes)
}

// nextDelay records why a stream ended. It returns the wait before the next stream, or the error that ends the watch.
func (w *watcher) nextDelay(cause error) (time.Duration, error) {
	elsewhere := w.replica != nil && w.client.replicas.recordInterruption(w.replica, cause)
	failure, failed := cause.(*StatusError)
	if failed {
		if failure.Action == Stop {
			return 0, failure
		}
		if err := w.noGateway(failure); err != nil {
			return 0, err
		}
	}
	if w.outage == nil {
		w.outage = &outage{cause: cause, since: time.Now()}
		if w.position != nil {
			w.outage.last = *w.position
		}
	}
	w.outage.attempts++
	_, tooLarge := cause.(*GroupTooLargeError)
	if tooLarge || failed && failure.Action == Restart {
		w.position, w.startOver = nil, true
		w.lostHistory = w.lostHistory || failed && failure.Reason == "HISTORY_LOST"
	}
	return w.delay(cause, elsewhere), nil
}

// noGateway returns the error that ends the watch if only servers that are not a gateway have answered for too long.
func (w *watcher) noGateway(failure *StatusError) error {
	if !failure.mayBeWrongAddress() || w.client.replicas.hasAnswered() {
		return nil
	}
	if w.wrongSince.IsZero() {
		w.wrongSince = time.Now()
	}
	if tried := time.Since(w.wrongSince); tried >= w.client.settings.firstAnswerTimeout {
		return failure.noGateway(tried)
	}
	return nil
}

func (w *watcher) delay(cause error, elsewhere bool) time.Duration {
	var least time.Duration
	switch cause := cause.(type) {
	case *GoingAwayError:
		return jitter(cause.Within)
	case *StatusError:
		if cause.Reason == "REBALANCING" && elsewhere {
			return jitter(cause.RetryAfter) // the other replica expects it by then
		}
		if !elsewhere {
			least = cause.RetryAfter // another replica did not ask for it
		}
		if cause.Reason == "UPSTREAM_FORBIDDEN" {
			least = max(cause.RetryAfter, forbiddenWait) // replicas share one account
		}
	}
	wait := least + w.backoff.next()
	if w.outage.attempts > 1 {
		return w.client.budget.reserve(wait)
	}
	return wait
}
