package kube

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatev1"
)

// behindAttempts is the number of failed attempts in a row from which an answer BEHIND ends a watch whose first version no gateway has reached.
const behindAttempts = 3

// openWatch is a watch of a reflector. One goroutine reads the client's range and sends events, until it fails or is stopped.
type openWatch[T runtime.Object] struct {
	source    *ListerWatcher[T]
	options   metav1.ListOptions
	selection watchgate.Selection
	stop      context.CancelFunc
	events    chan watch.Event
	admitted  chan<- error // gets nil once a gateway has admitted the watch, or the error that ended it before; then it is nil
	isReached bool         // a gateway has reached the version with which the watch begins
}

// Stop ends the watch; events that were not received are dropped.
func (w *openWatch[T]) Stop() { w.stop() }

// ResultChan is closed at the end of the watch.
func (w *openWatch[T]) ResultChan() <-chan watch.Event { return w.events }

func (w *openWatch[T]) run(ctx context.Context) {
	defer close(w.events)
	defer w.stop()
	err := w.follow(ctx)
	if ctx.Err() != nil {
		w.admit(ctx.Err())
		return
	}
	klog.FromContext(ctx).Info("Watch ended", "resource", w.selection.Resource, "cause", err)
	status := w.source.status(err)
	if w.admit(status) {
		return
	}
	w.send(ctx, watch.Event{Type: watch.Error, Object: &status.ErrStatus})
}

// admit answers the call that opened the watch, and reports whether it was not answered before.
func (w *openWatch[T]) admit(err error) bool {
	if w.admitted == nil {
		return false
	}
	w.admitted <- err
	w.admitted = nil
	return true
}

func (w *openWatch[T]) send(ctx context.Context, event watch.Event) bool {
	select {
	case w.events <- event:
		return true
	case <-ctx.Done():
		return false
	}
}

// follow sends the objects, if they are asked for, and then the changes. The changes are a watch of their own, because they must not end
// when the gateway's state becomes stale, while the objects have to be of the present.
func (w *openWatch[T]) follow(ctx context.Context) error {
	version := w.options.ResourceVersion
	hasNoMinimum := version == "" || version == "0"
	streamsList := w.options.SendInitialEvents != nil && *w.options.SendInitialEvents
	switch {
	case streamsList || hasNoMinimum && w.options.SendInitialEvents == nil:
	case hasNoMinimum:
		return w.changes(ctx, watchgate.FromNow())
	default:
		return w.changes(ctx, w.source.after(version))
	}
	position, err := w.objects(ctx, streamsList)
	if err != nil {
		return err
	}
	return w.changes(ctx, watchgate.ResumeFrom(position.Token))
}

func delivery() watchgate.RequestOption {
	return watchgate.WithDelivery(&watchgatev1.Delivery{
		ExpiredPositionPolicy: watchgatev1.ExpiredPositionPolicy_EXPIRED_POSITION_POLICY_FAIL, MaxResponseBytes: maxObjectBytes})
}

// objects sends a snapshot as ADDED events, once it is complete: an incomplete one would have to be taken back.
func (w *openWatch[T]) objects(ctx context.Context, marksEnd bool) (watchgate.Position, error) {
	var collected []event
	options := append([]watchgate.RequestOption{delivery()}, freshness(w.options.ResourceVersion)...)
	for step, err := range w.source.client.Watch(ctx, w.selection, options...) {
		if err != nil {
			return watchgate.Position{}, err
		}
		switch step := step.(type) {
		case watchgate.Opened:
			w.source.recordType(step)
			w.admit(nil)
		case watchgate.Interrupted:
			if w.isUnreachable(step) {
				return watchgate.Position{}, step.Cause
			}
			w.logInterruption(ctx, step)
		case watchgate.SnapshotBegun:
			collected = nil
		case watchgate.SnapshotObjects:
			part, err := decodeAll[T](step.Objects)
			if err != nil {
				return watchgate.Position{}, err
			}
			collected = append(collected, part...)
		case watchgate.SnapshotComplete:
			w.isReached = true
			return step.Position, w.sendObjects(ctx, collected, step.Position, marksEnd)
		}
	}
	return watchgate.Position{}, context.Cause(ctx)
}

func (w *openWatch[T]) sendObjects(ctx context.Context, objects []event, at watchgate.Position, marksEnd bool) error {
	slices.SortFunc(objects, func(a, b event) int { return compareVersions(a.version, b.version) })
	for _, object := range objects {
		if !w.send(ctx, object.Event) {
			return context.Cause(ctx)
		}
	}
	if !marksEnd {
		return nil
	}
	end, err := w.source.bookmark(ctx, at.ResourceVersion)
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(end.Object)
	if err != nil {
		return err
	}
	accessor.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	if w.send(ctx, end) {
		w.source.recordPosition(at)
	}
	return context.Cause(ctx)
}

// changes sends changes until the client does not continue after the last position.
func (w *openWatch[T]) changes(ctx context.Context, from watchgate.RequestOption) error {
	for step, err := range w.source.client.Watch(ctx, w.selection, delivery(), from) {
		if err != nil {
			return err
		}
		switch step := step.(type) {
		case watchgate.Opened:
			w.source.recordType(step)
			w.admit(nil)
		case watchgate.Interrupted:
			if err := w.endOf(step); err != nil {
				return err
			}
			w.logInterruption(ctx, step)
		case watchgate.Resumed:
			w.isReached = true
		case watchgate.SnapshotBegun:
			return apierrors.NewResourceExpired("watchgate: a new snapshot replaces the changes")
		case watchgate.Changes:
			err = w.sendChanges(ctx, step)
		case watchgate.Bookmark:
			err = w.sendBookmark(ctx, step.Position)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// endOf returns the error of a watch that cannot continue after its last position.
func (w *openWatch[T]) endOf(step watchgate.Interrupted) error {
	var failure *watchgate.StatusError
	var tooLarge *watchgate.GroupTooLargeError
	switch {
	case errors.As(step.Cause, &failure) && failure.Action == watchgate.Restart:
		return step.Cause
	case errors.As(step.Cause, &tooLarge):
		return apierrors.NewResourceExpired(step.Cause.Error())
	case w.isUnreachable(step):
		return step.Cause
	}
	return nil
}

// isUnreachable reports whether no replica reaches the version with which a watch begins. A gateway admits the watch before it knows.
func (w *openWatch[T]) isUnreachable(step watchgate.Interrupted) bool {
	var failure *watchgate.StatusError
	return !w.isReached && step.Attempt >= behindAttempts && errors.As(step.Cause, &failure) && failure.Reason == "BEHIND"
}

func (w *openWatch[T]) sendChanges(ctx context.Context, step watchgate.Changes) error {
	if step.NetEffect != nil {
		sortNetEffect(step.Changes)
	}
	events, err := decodeAll[T](step.Changes)
	if err != nil {
		return err
	}
	for i, event := range events {
		if !w.send(ctx, event.Event) {
			return context.Cause(ctx)
		}
		if i == len(events)-1 && event.version == step.Position.ResourceVersion {
			w.source.recordPosition(step.Position)
			return nil
		}
	}
	return w.sendBookmark(ctx, step.Position)
}

func (w *openWatch[T]) sendBookmark(ctx context.Context, at watchgate.Position) error {
	if !w.options.AllowWatchBookmarks || len(at.Token) == 0 {
		return nil
	}
	mark, err := w.source.bookmark(ctx, at.ResourceVersion)
	if err == nil && w.send(ctx, mark) {
		w.source.recordPosition(at)
	}
	return err
}

func (w *openWatch[T]) logInterruption(ctx context.Context, step watchgate.Interrupted) {
	logger := klog.FromContext(ctx)
	var away *watchgate.GoingAwayError
	if errors.As(step.Cause, &away) {
		logger = logger.V(2)
	}
	logger.Info("Watch interrupted, it continues by itself", "resource", w.selection.Resource, "cause", step.Cause, "attempt", step.Attempt, "delay", step.Delay)
}
