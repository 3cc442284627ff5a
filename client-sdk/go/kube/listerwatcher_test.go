package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatetest"
	"watchgate.io/client/watchgatev1"
)

var (
	pods   = watchgate.Selection{Resource: "pods"}
	yes    = true
	stream = metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
)

// bubble runs a test on a fake clock.
func bubble(t *testing.T, test func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		gateway, client := fake(t)
		test(t, gateway, client)
	})
}

func fake(t *testing.T) (*watchgatetest.FakeGateway, *watchgate.Client) {
	t.Helper()
	gateway := watchgatetest.Start()
	t.Cleanup(gateway.Close)
	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return gateway, client
}

// put writes a pod whose object has the version that the write makes.
func put(t *testing.T, gateway *watchgatetest.FakeGateway, name, phase string) string {
	t.Helper()
	return gateway.Put("shop", name, pod(t, name, phase, next(t, gateway.ResourceVersion())))
}

func next(t *testing.T, version string) string {
	t.Helper()
	var number int
	if _, err := fmt.Sscan(version, &number); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(number + 1)
}

func pod(t *testing.T, name, phase, version string) string {
	t.Helper()
	text, err := json.Marshal(corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version},
		Status:     corev1.PodStatus{Phase: corev1.PodPhase(phase)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func open[T runtime.Object](t *testing.T, source *ListerWatcher[T], options metav1.ListOptions) watch.Interface {
	t.Helper()
	opened, err := source.WatchWithContext(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Stop)
	return opened
}

// receive returns a short form of the next event.
func receive(t *testing.T, from watch.Interface) string {
	t.Helper()
	event, ok := <-from.ResultChan()
	if !ok {
		return "END"
	}
	if status, ok := event.Object.(*metav1.Status); ok {
		return fmt.Sprintf("ERROR %d %s", status.Code, status.Reason)
	}
	object, err := meta.Accessor(event.Object)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s %s@%s", event.Type, object.GetName(), object.GetResourceVersion())
	if object.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "" {
		text += " END OF LIST"
	}
	return text
}

func expect(t *testing.T, from watch.Interface, want ...string) {
	t.Helper()
	for _, one := range want {
		if got := receive(t, from); got != one {
			t.Fatalf("got %q, want %q of %q", got, one, want)
		}
	}
}

func TestWatch_streamingList_isCompleteThenChangesFollow(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		put(t, gateway, "api", "Pending")
		pending := open(t, NewListerWatcher[*corev1.Pod](client, pods), stream)
		expect(t, pending, "ADDED web@101", "ADDED api@102", "BOOKMARK @102 END OF LIST")
		synctest.Wait() // for the stream of the changes
		put(t, gateway, "web", "Running")
		gateway.Bookmark()
		gateway.Delete("shop", "api")
		expect(t, pending, "MODIFIED web@103", "BOOKMARK @103", "DELETED api@102")
		if staleness := gateway.Requests()[0].Delivery.MaxStaleness; staleness == nil || staleness.AsDuration() != 0 {
			t.Errorf("the list is not of the present: %v", staleness)
		}
		if gateway.Requests()[1].Delivery.MaxStaleness != nil {
			t.Error("the changes end when the state becomes stale")
		}
	})
}

func TestWatch_gatewayThatRestarts_isNotSeen(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), stream)
		expect(t, opened, "ADDED web@101", "BOOKMARK @101 END OF LIST")
		gateway.Refuse(codes.Unavailable, "STARTING", watchgate.Resume)
		gateway.Cut()
		time.Sleep(time.Minute)
		put(t, gateway, "web", "Running")
		gateway.Admit()
		expect(t, opened, "MODIFIED web@102")
	})
}

func TestWatch_incompleteList_isNotSent(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		gateway.Refuse(codes.Unavailable, "STARTING", watchgate.Resume)
		source := NewListerWatcher[*corev1.Pod](client, pods)
		opened := make(chan watch.Interface)
		go func() { opened <- open(t, source, stream) }()
		time.Sleep(time.Minute)
		gateway.Delete("shop", "web")
		put(t, gateway, "api", "Pending")
		gateway.Admit()
		expect(t, <-opened, "ADDED api@103", "BOOKMARK @103 END OF LIST")
	})
}

func TestWatch_fromVersion_hasTheChangesAfterIt(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		version := put(t, gateway, "web", "Pending")
		put(t, gateway, "web", "Running")
		source := NewListerWatcher[*corev1.Pod](client, pods)
		first := open(t, source, metav1.ListOptions{ResourceVersion: version})
		expect(t, first, "MODIFIED web@102")
		synctest.Wait()
		first.Stop()
		put(t, gateway, "api", "Pending")
		expect(t, open(t, source, metav1.ListOptions{ResourceVersion: "102"}), "ADDED api@103")
		requests := gateway.Requests()
		if requests[0].GetResourceVersion() != version || len(requests[1].GetResumeToken()) == 0 {
			t.Errorf("the watches began at %v and %v", requests[0].Start, requests[1].Start)
		}
	})
}

func TestWatch_withoutBookmarks_hasNone(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		version := put(t, gateway, "web", "Pending")
		opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), metav1.ListOptions{ResourceVersion: version})
		gateway.Bookmark()
		put(t, gateway, "api", "Pending")
		expect(t, opened, "ADDED api@102")
	})
}

func TestWatch_expiredPosition_is410(t *testing.T) {
	for _, lose := range []func(*watchgatetest.FakeGateway){(*watchgatetest.FakeGateway).ExpireTokens, (*watchgatetest.FakeGateway).LoseHistory} {
		bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
			version := put(t, gateway, "web", "Pending")
			source := NewListerWatcher[*corev1.Pod](client, pods)
			opened := open(t, source, stream)
			expect(t, opened, "ADDED web@101", "BOOKMARK @101 END OF LIST")
			lose(gateway)
			gateway.Cut()
			expect(t, opened, "ERROR 410 Expired", "END")
			if _, err := source.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: version}); !apierrors.IsResourceExpired(err) {
				t.Errorf("a watch from an expired version: %v", err)
			}
		})
	}
}

func TestWatch_versionThatIsNotReached_is504(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Refuse(codes.Unavailable, "BEHIND", watchgate.Resume)
		for _, options := range []metav1.ListOptions{{ResourceVersion: "900"}, {ResourceVersion: "900", SendInitialEvents: &yes}} {
			opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), options)
			event := <-opened.ResultChan()
			err := apierrors.FromObject(event.Object)
			if !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) || !apierrors.IsTimeout(err) {
				t.Error(event, err)
			}
			expect(t, opened, "END")
		}
	})
}

// The versions in a net effect are in no order, and that of a deletion may be an upper bound.
func TestWatch_netEffect_isSortedAndChangesOfAnObjectKeepTheirOrder(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		version := put(t, gateway, "web", "Pending")
		opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
		change := func(kind watchgatev1.EventType, name, at string) *watchgatev1.WatchEvent {
			return &watchgatev1.WatchEvent{Type: kind, Key: &watchgatev1.ObjectKey{Namespace: "shop", Name: name, Uid: "new"}, ResourceVersion: at,
				Body: &watchgatev1.WatchEvent_Object{Object: []byte(pod(t, name, "", at))}}
		}
		gateway.Send(&watchgatev1.ListAndWatchResponse{Signal: &watchgatev1.ListAndWatchResponse_NetEffectStarted{NetEffectStarted: &watchgatev1.NetEffectStarted{}}})
		gateway.Send(&watchgatev1.ListAndWatchResponse{ResourceVersion: "1000", ResumeToken: []byte("fake-1000"), Events: []*watchgatev1.WatchEvent{
			change(watchgatev1.EventType_EVENT_TYPE_DELETED, "web", "1000"),
			change(watchgatev1.EventType_EVENT_TYPE_MODIFIED, "b", "998"),
			change(watchgatev1.EventType_EVENT_TYPE_ADDED, "web", "300"),
			change(watchgatev1.EventType_EVENT_TYPE_MODIFIED, "a", "99"),
		}})
		expect(t, opened, "MODIFIED a@99", "MODIFIED b@998", "DELETED web@1000", "ADDED web@300", "BOOKMARK @1000")
	})
}

func TestWatch_stop_leavesNoStream(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), stream)
		opened.Stop()
		opened.Stop()
		for range opened.ResultChan() {
		}
		if err := gateway.AwaitStreams(t.Context(), 0); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gateway.Refuse(codes.Unavailable, "STARTING", watchgate.Resume)
		time.AfterFunc(time.Hour, cancel)
		if _, err := NewListerWatcher[*corev1.Pod](client, pods).WatchWithContext(ctx, stream); !errors.Is(err, context.Canceled) {
			t.Errorf("a watch without a gateway ended with %v", err)
		}
	})
}

func TestWatch_objectThatCannotBeDecoded_is500(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		opened := open(t, NewListerWatcher[*corev1.Pod](client, pods), metav1.ListOptions{ResourceVersion: "100"})
		gateway.Put("shop", "web", `{"spec":5}`)
		expect(t, opened, "ERROR 500 InternalError", "END")
	})
}

func TestErrors_haveTheCodesOfAnApiserver(t *testing.T) {
	for _, test := range []struct {
		code   codes.Code
		reason string
		want   func(error) bool
	}{
		{codes.Unauthenticated, "CREDENTIALS_INVALID", apierrors.IsUnauthorized},
		{codes.PermissionDenied, "ACCESS_DENIED", apierrors.IsForbidden},
		{codes.NotFound, "TYPE_UNKNOWN", apierrors.IsNotFound},
		{codes.FailedPrecondition, "TYPE_NOT_SERVED", apierrors.IsMethodNotSupported},
		{codes.InvalidArgument, "SELECTOR_INVALID", apierrors.IsBadRequest},
	} {
		bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
			gateway.Refuse(test.code, test.reason, watchgate.Stop)
			_, err := NewListerWatcher[*corev1.Pod](client, pods).WatchWithContext(t.Context(), stream)
			if !test.want(err) || !strings.Contains(err.Error(), "refused by the test") {
				t.Errorf("%s: %v", test.reason, err)
			}
		})
	}
	later := &watchgate.StatusError{Code: codes.ResourceExhausted, Reason: "QUOTA", Action: watchgate.Resume, RetryAfter: 1500 * time.Millisecond}
	if delay, ok := apierrors.SuggestsClientDelay(statusOf(later, resourceOf(pods))); !ok || delay != 2 {
		t.Errorf("a quota asks for %d s", delay)
	}
	later.Code = codes.Unavailable
	if status := statusOf(later, resourceOf(pods)); !apierrors.IsServiceUnavailable(status) || status.ErrStatus.Details.RetryAfterSeconds != 2 {
		t.Errorf("unavailable is %v", status)
	}
}

func TestList_hasOneVersion(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		put(t, gateway, "api", "Pending")
		source := NewListerWatcher[*corev1.Pod](client, pods)
		listed, err := source.List(metav1.ListOptions{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		items, err := meta.ExtractList(listed)
		if err != nil || len(items) != 2 {
			t.Fatalf("%d items, %v", len(items), err)
		}
		access, err := meta.ListAccessor(listed.DeepCopyObject())
		if err != nil || access.GetResourceVersion() != "102" || access.GetContinue() != "" {
			t.Errorf("%+v, %v", access, err)
		}
		if first := items[0].(*corev1.Pod); first.Kind != "" || first.Name != "api" {
			t.Errorf("%+v", first)
		}
		if _, err := source.List(metav1.ListOptions{ResourceVersion: "102", ResourceVersionMatch: metav1.ResourceVersionMatchExact}); !apierrors.IsBadRequest(err) {
			t.Errorf("a list of one version: %v", err)
		}
	})
}

func TestWatch_withoutContext_endsWithTheClient(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		source := NewListerWatcher[*corev1.Pod](client, pods)
		opened, err := source.Watch(stream)
		if err != nil {
			t.Fatal(err)
		}
		if got := receive(t, opened); got != "ADDED web@101" {
			t.Error(got)
		}
		receive(t, opened) // the end of the list
		client.Close()
		if got := receive(t, opened); got != "ERROR 500 InternalError" {
			t.Error(got)
		}
		if got := receive(t, opened); got != "END" {
			t.Error(got)
		}
		if _, err := source.Watch(stream); !apierrors.IsInternalError(err) {
			t.Error("a watch of a closed client:", err)
		}
	})
}

func TestUnstructured_bookmarksHaveTheKind(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		opened := open(t, NewListerWatcher[*unstructured.Unstructured](client, watchgate.Selection{Resource: "Po"}), stream)
		event := <-opened.ResultChan()
		if kind := event.Object.GetObjectKind().GroupVersionKind(); kind != corev1.SchemeGroupVersion.WithKind("Pod") || event.Type != watch.Bookmark {
			t.Errorf("%s of %v", event.Type, kind)
		}
		put(t, gateway, "web", "Pending")
		event = <-opened.ResultChan()
		if got := event.Object.(*unstructured.Unstructured); got.GetKind() != "Pod" || got.GetName() != "web" {
			t.Errorf("%+v", got)
		}
	})
}

func TestMetadata_isAskedForWithoutTheRest(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		put(t, gateway, "web", "Pending")
		expect(t, open(t, NewListerWatcher[*metav1.PartialObjectMetadata](client, pods), stream), "ADDED web@101", "BOOKMARK @101 END OF LIST")
		if view := gateway.Requests()[0].Projection.View; view != watchgatev1.ObjectView_OBJECT_VIEW_METADATA {
			t.Error(view)
		}
	})
}

// counted counts the lists of a reflector, streaming ones too.
type counted struct {
	*ListerWatcher[*corev1.Pod]
	lists *atomic.Int32
}

func (c counted) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	c.lists.Add(1)
	return c.ListerWatcher.ListWithContext(ctx, options)
}

func (c counted) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil {
		c.lists.Add(1)
	}
	return c.ListerWatcher.WatchWithContext(ctx, options)
}

func TestInformer_listsAgainOnlyAfterAnExpiredPosition(t *testing.T) {
	gateway, client := fake(t)
	put(t, gateway, "web", "Pending")
	put(t, gateway, "gone", "Pending")
	var lists atomic.Int32
	informer := cache.NewSharedIndexInformer(counted{NewListerWatcher[*corev1.Pod](client, pods), &lists}, &corev1.Pod{}, 0, cache.Indexers{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		informer.Run(ctx.Done())
		close(ended)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	await := func(want ...string) {
		t.Helper()
		var got []string
		if err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			got = nil
			for _, object := range informer.GetStore().List() {
				pod := object.(*corev1.Pod)
				got = append(got, pod.Name+" "+string(pod.Status.Phase))
			}
			slices.Sort(got)
			return slices.Equal(got, want), nil
		}); err != nil {
			t.Fatalf("the informer has %q, not %q", got, want)
		}
	}
	await("gone Pending", "web Pending")
	gateway.Cut()
	put(t, gateway, "web", "Running")
	gateway.GoAway(0)
	put(t, gateway, "api", "Pending")
	await("api Pending", "gone Pending", "web Running")
	if lists.Load() != 1 {
		t.Errorf("%d lists after a restart", lists.Load())
	}
	gateway.Delete("shop", "gone")
	await("api Pending", "web Running")
	gateway.ExpireTokens()
	gateway.Cut()
	put(t, gateway, "api", "Running")
	await("api Running", "web Running")
	if lists.Load() > 2 {
		t.Errorf("%d lists after an expired position", lists.Load())
	}
}
