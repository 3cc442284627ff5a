package io.watchgate.kube;

import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.BookmarkKind;
import io.watchgate.cache.Upstream.End;
import io.watchgate.cache.Upstream.EventType;
import io.watchgate.cache.Upstream.SinkResult;
import io.watchgate.cache.Upstream.Stop;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.Upstream.WatchSink;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.BadRequest;
import io.watchgate.cache.UpstreamFailure.Transport;
import io.watchgate.cache.UpstreamFailure.Unsupported;
import io.watchgate.json.JsonException;
import io.watchgate.json.TruncatedJsonException;
import io.watchgate.json.WatchReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the frames of one watch, which passes them to a sink. If the watch begins with a list,
 * only initial objects are passed on before the bookmark that ends them. One use.
 *
 * <p>An invalid frame does not end the watch. A bookmark without a version is ignored.
 */
final class WatchResponseReader {
  /**
   * Limits of one watch.
   *
   * @param requestedDuration requested duration
   * @param slack time beyond the requested duration after which the client ends the watch
   * @param idleTimeout maximum time without a frame if bookmarks are known to be sent
   * @param objectBytes maximum bytes of one object
   */
  record Limits(
      Duration requestedDuration, Duration slack, Duration idleTimeout, int objectBytes) {}

  /** Part of the answer that is being read. */
  private enum Part {
    /** Initial objects, up to the bookmark that ends them. */
    LIST,
    CHANGES
  }

  private final String description;
  private final Limits limits;
  private final WatchSink sink;
  private final UpstreamFailure cut;
  private final UpstreamFailure overdue;
  private final UpstreamFailure silent;
  private final long began = System.nanoTime();

  /** Maximum time until the end of the list; null: the watch has changes only. */
  private final @Nullable Duration markerTimeout;

  private volatile Part part;

  private @Nullable Future<?> markerTimer;

  /** Set once the request has been answered. */
  private volatile @Nullable CancellableCall call;

  private @Nullable TimedAnswerStream body;
  private boolean bookmarks;

  private WatchResponseReader(
      String description,
      Limits limits,
      boolean bookmarks,
      @Nullable Duration markerTimeout,
      WatchSink sink) {
    this.description = description;
    this.limits = limits;
    this.bookmarks = bookmarks;
    this.markerTimeout = markerTimeout;
    this.part = markerTimeout == null ? Part.CHANGES : Part.LIST;
    this.sink = sink;
    this.cut = new Transport(description + ": cut by the gateway");
    this.overdue = new Transport(description + ": exceeded the requested duration");
    this.silent =
        new Transport(description + ": silent for " + LogText.duration(limits.idleTimeout()));
  }

  /**
   * Returns a reader of changes only.
   *
   * @param limits limits after which the client ends the watch as if the apiserver had; some
   *     apiservers ignore the requested duration
   * @param bookmarks whether they are known to be sent, so that silence is a failure
   */
  static WatchResponseReader changes(
      String description, Limits limits, boolean bookmarks, WatchSink sink) {
    return new WatchResponseReader(description, limits, bookmarks, null, sink);
  }

  /** Returns a reader of all objects, and then of changes. */
  static WatchResponseReader list(
      String description,
      Limits limits,
      boolean bookmarks,
      Duration markerTimeout,
      WatchSink sink) {
    return new WatchResponseReader(description, limits, bookmarks, markerTimeout, sink);
  }

  /** Returns whether this watch or an earlier one had bookmarks. */
  boolean hasBookmarks() {
    return bookmarks;
  }

  /** Returns the outcome of a watch that failed. */
  WatchOutcome outcome(UpstreamFailure failure) {
    if (failure.equals(cut)) {
      return new WatchOutcome(null, End.ON_TIME);
    }
    if (failure.equals(overdue)) {
      return new WatchOutcome(null, End.EARLY); // nothing proves that it was alive that long
    }
    if (failure.equals(silent) && part == Part.CHANGES) {
      return new WatchOutcome(null, End.SILENT);
    }
    return new WatchOutcome(
        part == Part.LIST && failure instanceof BadRequest
            ? new Unsupported(failure.message())
            : failure);
  }

  private boolean isDue() {
    return System.nanoTime() - began
        >= limits.requestedDuration().minus(WatchTimeouts.CLOCK_TOLERANCE).toNanos();
  }

  /**
   * Ends the watch as if the apiserver had, from any thread; no effect before the request was
   * answered, or during the list.
   */
  void cut() {
    CancellableCall running = call;
    if (running != null && part == Part.CHANGES) {
      running.cancelWith(cut);
    }
  }

  /** Reads the answer until the watch ends, and returns the outcome. */
  WatchOutcome read(TimedAnswerStream body, CancellableCall call)
      throws IOException, JsonException, KubeException {
    this.call = call;
    this.body = body;
    List<Future<?>> timers = new ArrayList<>();
    timers.add(call.cancelAfter(limits.requestedDuration().plus(limits.slack()), overdue));
    Duration timeout = markerTimeout;
    if (timeout != null) {
      markerTimer =
          call.cancelAfter(
              timeout,
              new Unsupported(
                  description + ": no end of the list within " + LogText.duration(timeout)));
      timers.add(markerTimer);
    }
    if (bookmarks || !call.isPinged()) {
      startIdleTimer();
    }
    WatchReader reader = new WatchReader(body, limits.objectBytes());
    try {
      SinkResult result = part == Part.LIST ? SinkResult.CONTINUE : sink.opened();
      while (!(result instanceof Stop) && reader.next()) {
        result = frame(reader);
      }
      if (result instanceof Stop stop) {
        return WatchOutcome.stopped(stop);
      }
      return part == Part.CHANGES
          ? new WatchOutcome(null, isDue() ? End.ON_TIME : End.EARLY)
          : new WatchOutcome(new Unsupported(description + ": ended before the end of the list"));
    } catch (TruncatedJsonException e) {
      throw new KubeException(call.reasonOr(new Transport(description + ": cut inside an event")));
    } finally {
      timers.forEach(timer -> timer.cancel(false));
    }
  }

  private void startIdleTimer() {
    CancellableCall running = call;
    if (body != null && running != null) {
      body.startTimer(limits.idleTimeout(), () -> running.cancelWith(silent));
    }
  }

  private SinkResult frame(WatchReader frame) throws KubeException {
    return switch (frame.type()) {
      case ADDED -> event(EventType.ADDED, frame);
      case MODIFIED -> change(EventType.MODIFIED, frame);
      case DELETED -> change(EventType.DELETED, frame);
      case BOOKMARK -> bookmark(frame);
      case ERROR -> throw refused(frame);
      case OTHER -> {
        sink.reportIgnored("an event of an unknown type");
        yield SinkResult.CONTINUE;
      }
    };
  }

  private static JsonDocument document(WatchReader frame) throws JsonException {
    return JsonDocument.parse(frame.buffer(), frame.from(), frame.to());
  }

  private SinkResult change(EventType type, WatchReader frame) throws KubeException {
    if (part == Part.LIST) {
      throw new KubeException(
          new Unsupported(description + ": a change came before the end of the list"));
    }
    return event(type, frame);
  }

  private SinkResult event(EventType type, WatchReader frame) {
    String problem = frame.problem();
    return problem == null
        ? sink.event(type, frame.buffer(), frame.from(), frame.to())
        : sink.unreadable(type, frame.buffer(), frame.from(), frame.to(), problem);
  }

  private SinkResult bookmark(WatchReader frame) throws KubeException {
    JsonDocument metadata;
    try {
      metadata = document(frame).object("metadata");
    } catch (JsonException e) {
      sink.reportIgnored("a bookmark that cannot be read");
      return SinkResult.CONTINUE;
    }
    String version = metadata.text("resourceVersion");
    boolean ends =
        part == Part.LIST
            && metadata.object("annotations").text(Upstream.INITIAL_EVENTS_END).equals("true");
    if (version.isEmpty()) {
      if (ends) {
        throw new KubeException(
            new Unsupported(description + ": the end of the list bears no version"));
      }
      return SinkResult.CONTINUE;
    }
    if (part == Part.CHANGES) {
      bookmarks = true;
      startIdleTimer();
      // A second marker, or one that was not requested, is a bookmark like others.
      return sink.bookmark(version, BookmarkKind.PROGRESS);
    }
    if (ends) {
      part = Part.CHANGES;
      if (markerTimer != null) {
        markerTimer.cancel(false);
      }
      return sink.bookmark(version, BookmarkKind.INITIAL_EVENTS_END);
    }
    // Before the marker a bookmark proves nothing: the list is incomplete.
    return SinkResult.CONTINUE;
  }

  private KubeException refused(WatchReader frame) {
    ApiServerError refusal;
    try {
      refusal = ApiServerError.of(document(frame));
    } catch (JsonException e) {
      return new KubeException(
          new UpstreamFailure.ServerError(
              description + ": ended by an error that cannot be read", Duration.ZERO));
    }
    UpstreamFailure failure = refusal.failure(description);
    // A server reports in this way that its etcd cannot do a streaming list.
    return new KubeException(
        part == Part.LIST && refusal.code() == 500 ? new Unsupported(failure.message()) : failure);
  }
}
