package watchgatetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatev1"
)

const (
	firstVersion = 100
	behind       = "BEHIND"
)

var podType = &watchgatev1.ResourceType{Version: "v1", Resource: "pods"}

// service is the implementation behind [FakeGateway]. All is guarded by mu.
type service struct {
	watchgatev1.UnimplementedWatchServiceServer

	mu             sync.Mutex
	objects        map[watchgate.Key]*watchgatev1.WatchEvent
	history        []*watchgatev1.WatchEvent
	versions       []int64 // of history
	streams        map[*stream]struct{}
	changed        chan struct{} // closed and replaced when a stream begins or ends
	requests       []*watchgatev1.ListAndWatchRequest
	authorizations []string
	version        int64
	oldest         int64 // version that can be resumed
	historyBegin   int64 // first version of the present timeline
	histories      int
	uids           int
	refusal        *refusal
}

// stream has the responses that its handler has not sent yet.
type stream struct {
	request *watchgatev1.ListAndWatchRequest
	out     []*watchgatev1.ListAndWatchResponse
	end     error
	ready   chan struct{}
}

type refusal struct {
	code    codes.Code
	reason  string
	action  watchgate.Action
	message string
}

func newService() *service {
	return &service{
		objects:   map[watchgate.Key]*watchgatev1.WatchEvent{},
		streams:   map[*stream]struct{}{},
		changed:   make(chan struct{}),
		version:   firstVersion,
		oldest:    firstVersion,
		histories: 1,
	}
}

func (s *service) versionText() string { return strconv.FormatInt(s.version, 10) }

func (s *service) put(key watchgate.Key, json []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	event := &watchgatev1.WatchEvent{
		Type: watchgatev1.EventType_EVENT_TYPE_MODIFIED, Body: &watchgatev1.WatchEvent_Object{Object: json}}
	if before := s.objects[key]; before != nil {
		event.Key = before.Key
	} else {
		s.uids++
		event.Type = watchgatev1.EventType_EVENT_TYPE_ADDED
		event.Key = &watchgatev1.ObjectKey{Namespace: key.Namespace, Name: key.Name, Uid: "uid-" + strconv.Itoa(s.uids)}
	}
	s.objects[key] = event
	return s.append(event)
}

func (s *service) delete(key watchgate.Key) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.objects[key]
	if before == nil {
		panic("watchgatetest: there is no object " + key.String())
	}
	delete(s.objects, key)
	event := proto.CloneOf(before)
	event.Type = watchgatev1.EventType_EVENT_TYPE_DELETED
	event.RemovalReason = watchgatev1.RemovalReason_REMOVAL_REASON_OBJECT_DELETED
	return s.append(event)
}

func (s *service) append(event *watchgatev1.WatchEvent) string {
	s.version++
	event.ResourceVersion = s.versionText()
	s.history, s.versions = append(s.history, event), append(s.versions, s.version)
	for stream := range s.streams {
		if selects(stream.request.Selection, event) {
			stream.send(s.change(s.version, event))
		}
	}
	return event.ResourceVersion
}

func (s *service) change(version int64, event *watchgatev1.WatchEvent) *watchgatev1.ListAndWatchResponse {
	response := s.at(version)
	response.Events = []*watchgatev1.WatchEvent{event}
	return response
}

func selects(selection *watchgatev1.Selection, event *watchgatev1.WatchEvent) bool {
	return len(selection.GetNamespaces()) == 0 || slices.Contains(selection.GetNamespaces(), event.Key.GetNamespace())
}

func (s *service) at(version int64) *watchgatev1.ListAndWatchResponse {
	return &watchgatev1.ListAndWatchResponse{ResourceVersion: strconv.FormatInt(version, 10), ResumeToken: tokenOf(version)}
}

func (s *service) send(response *watchgatev1.ListAndWatchResponse) {
	for stream := range s.streams {
		stream.send(response)
	}
}

func (t *stream) send(responses ...*watchgatev1.ListAndWatchResponse) {
	t.out = append(t.out, responses...)
	t.wake()
}

func (t *stream) wake() {
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

func (s *service) ListAndWatch(request *watchgatev1.ListAndWatchRequest, server grpc.ServerStreamingServer[watchgatev1.ListAndWatchResponse]) error {
	opened, refused := s.open(server.Context(), request)
	if refused != nil {
		return refused.send(server)
	}
	defer s.remove(opened)
	for {
		responses, err := s.take(opened)
		for _, response := range responses {
			if err := server.Send(response); err != nil {
				return err
			}
		}
		if refused, ok := err.(*refusal); ok {
			return refused.send(server)
		}
		select {
		case <-opened.ready:
		case <-server.Context().Done():
			return server.Context().Err()
		}
	}
}

func (s *service) take(from *stream) ([]*watchgatev1.ListAndWatchResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	responses := from.out
	from.out = nil
	return responses, from.end
}

func (s *service) open(ctx context.Context, request *watchgatev1.ListAndWatchRequest) (*stream, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	authorization := ""
	if header := metadata.ValueFromIncomingContext(ctx, "authorization"); len(header) > 0 {
		authorization = header[0]
	}
	s.authorizations = append(s.authorizations, authorization)
	if s.refusal != nil && s.refusal.reason != behind {
		return nil, s.refusal
	}
	if request.GetSelection().GetLabelSelector() != "" || request.GetSelection().GetFieldSelector() != "" {
		return nil, &refusal{codes.InvalidArgument, "SELECTOR_INVALID", watchgate.Stop, "this fake reads no selectors"}
	}
	from, err := s.start(request)
	if err != nil {
		return nil, &refusal{codes.InvalidArgument, "TOKEN_MALFORMED", watchgate.Stop, err.Error()}
	}
	if from >= 0 && from < s.oldest && failsWhenExpired(request) {
		return nil, s.lost(from)
	}
	opened := &stream{request: request, ready: make(chan struct{}, 1)}
	opened.send(&watchgatev1.ListAndWatchResponse{Signal: &watchgatev1.ListAndWatchResponse_Opened{Opened: &watchgatev1.StreamOpened{
		StreamId: "fake", HistoryId: s.historyID(), Selection: resolved(request.Selection), Delivery: request.Delivery}}})
	if s.refusal != nil {
		opened.end = s.refusal // a gateway admits a stream before it knows that it is behind
		return opened, nil
	}
	switch {
	case from < 0:
		s.sendSnapshot(opened, watchgatev1.SnapshotReason_SNAPSHOT_REASON_REQUESTED)
	case from >= s.oldest:
		s.resume(opened, from)
	case from < s.historyBegin:
		s.sendSnapshot(opened, watchgatev1.SnapshotReason_SNAPSHOT_REASON_HISTORY_LOST)
	default:
		s.sendSnapshot(opened, watchgatev1.SnapshotReason_SNAPSHOT_REASON_POSITION_EXPIRED)
	}
	s.streams[opened] = struct{}{}
	s.notify()
	return opened, nil
}

// resolved returns the selection with the type of pods, if it is named.
func resolved(selection *watchgatev1.Selection) *watchgatev1.Selection {
	resolved := proto.CloneOf(selection)
	if slices.Contains([]string{"pods", "pod", "po"}, strings.ToLower(selection.GetResourceType().GetResource())) {
		resolved.ResourceType = podType
	}
	return resolved
}

func failsWhenExpired(request *watchgatev1.ListAndWatchRequest) bool {
	return request.GetDelivery().GetExpiredPositionPolicy() == watchgatev1.ExpiredPositionPolicy_EXPIRED_POSITION_POLICY_FAIL
}

// lost returns the error in place of a snapshot.
func (s *service) lost(from int64) *refusal {
	if from < s.historyBegin {
		return &refusal{codes.OutOfRange, "HISTORY_LOST", watchgate.Restart, "the position is of another timeline"}
	}
	return &refusal{codes.OutOfRange, "POSITION_EXPIRED", watchgate.Restart, "the changes after the position are gone"}
}

// start returns the version at which the changes begin, -1 for a snapshot.
func (s *service) start(request *watchgatev1.ListAndWatchRequest) (int64, error) {
	switch start := request.Start.(type) {
	case *watchgatev1.ListAndWatchRequest_ResumeToken:
		if len(start.ResumeToken) > 0 {
			return versionOf(start.ResumeToken)
		}
	case *watchgatev1.ListAndWatchRequest_ResourceVersion:
		return strconv.ParseInt(start.ResourceVersion, 10, 64)
	case *watchgatev1.ListAndWatchRequest_FromNow:
		return s.version, nil
	}
	return -1, nil
}

func (s *service) resume(at *stream, from int64) {
	resumed := s.at(from)
	resumed.Signal = &watchgatev1.ListAndWatchResponse_Resumed{Resumed: &watchgatev1.Resumed{}}
	at.send(resumed)
	for i, event := range s.history {
		if s.versions[i] > from && selects(at.request.Selection, event) {
			at.send(s.change(s.versions[i], event))
		}
	}
}

func (s *service) sendSnapshot(at *stream, reason watchgatev1.SnapshotReason) {
	objects := s.selected(at.request.Selection)
	synced := s.at(s.version)
	synced.Signal = &watchgatev1.ListAndWatchResponse_Synced{Synced: &watchgatev1.Synced{Objects: uint64(len(objects))}}
	at.send(
		&watchgatev1.ListAndWatchResponse{Signal: &watchgatev1.ListAndWatchResponse_SnapshotStarted{
			SnapshotStarted: &watchgatev1.SnapshotStarted{Reason: reason, Objects: uint64(len(objects)), HistoryId: s.historyID()}}},
		&watchgatev1.ListAndWatchResponse{Events: objects},
		synced)
}

// selected returns the objects as ADDED, in the order of their keys.
func (s *service) selected(selection *watchgatev1.Selection) []*watchgatev1.WatchEvent {
	keys := slices.SortedFunc(maps.Keys(s.objects), func(a, b watchgate.Key) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	var objects []*watchgatev1.WatchEvent
	for _, key := range keys {
		if selects(selection, s.objects[key]) {
			added := proto.CloneOf(s.objects[key])
			added.Type = watchgatev1.EventType_EVENT_TYPE_ADDED
			objects = append(objects, added)
		}
	}
	return objects
}

func (s *service) historyID() string { return "fake-" + strconv.Itoa(s.histories) }

func (s *service) remove(ended *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, ended)
	s.notify()
}

func (s *service) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *service) end(with refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.streams {
		stream.end = &with
		stream.wake()
	}
}

// expire makes the present tokens useless; with another timeline, open streams get a snapshot.
func (s *service) expire(losesHistory bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.oldest = s.version
	if !losesHistory {
		return
	}
	s.historyBegin = s.oldest
	s.histories++
	for stream := range s.streams {
		if failsWhenExpired(stream.request) {
			stream.end = s.lost(0)
			stream.wake()
			continue
		}
		s.sendSnapshot(stream, watchgatev1.SnapshotReason_SNAPSHOT_REASON_HISTORY_LOST)
	}
}

func (r *refusal) Error() string { return r.message }

func (r *refusal) send(server grpc.ServerStream) error {
	if r.reason != "" {
		server.SetTrailer(metadata.Pairs("watchgate-reason", r.reason, "watchgate-action", r.action.String()))
	}
	return status.Error(r.code, r.message)
}

// ListObjects answers one page.
func (s *service) ListObjects(_ context.Context, request *watchgatev1.ListObjectsRequest) (*watchgatev1.ListObjectsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := s.selected(request.Selection)
	return &watchgatev1.ListObjectsResponse{
		Objects: objects, ResourceVersion: s.versionText(), ResumeToken: tokenOf(s.version), TotalObjects: uint64(len(objects)), HistoryId: s.historyID(),
	}, nil
}

// ListResourceTypes answers one type.
func (s *service) ListResourceTypes(context.Context, *watchgatev1.ListResourceTypesRequest) (*watchgatev1.ListResourceTypesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &watchgatev1.ListResourceTypesResponse{Types: []*watchgatev1.ServedType{{
		ResourceType: podType, Kind: "Pod", Namespaced: true, Synced: true,
		Objects: uint64(len(s.objects)), ResourceVersion: s.versionText(), HistoryId: s.historyID(),
	}}}, nil
}

func goingAway(within time.Duration) *watchgatev1.ListAndWatchResponse {
	return &watchgatev1.ListAndWatchResponse{Signal: &watchgatev1.ListAndWatchResponse_GoingAway{GoingAway: &watchgatev1.GoingAway{
		Reason: watchgatev1.GoingAwayReason_GOING_AWAY_REASON_STREAM_AGE, ReconnectWithin: durationpb.New(within)}}}
}
