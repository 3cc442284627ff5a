package io.watchgate.kube;

import io.watchgate.cache.Upstream.BookmarkKind;
import io.watchgate.cache.Upstream.EventType;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.Upstream.WatchSink;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.BadRequest;
import io.watchgate.cache.UpstreamFailure.Transport;
import io.watchgate.cache.UpstreamFailure.Unsupported;
import io.watchgate.json.CutException;
import io.watchgate.json.JsonException;
import io.watchgate.json.WatchReader;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one watch and hands them on. Where the watch begins with a list, nothing but
 * initial objects is handed on before the bookmark that ends them. One use.
 */
final class WatchStream {
  private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

  private final String what;
  private final Duration total;
  private final int maxObjectBytes;
  private final WatchSink sink;
  private final UpstreamFailure overdue;

  /** How long the end of the initial objects may take; null if there are none, or no more. */
  private volatile @Nullable Duration initial;

  private @Nullable Future<?> marker;

  /** Once it has been answered. */
  private volatile @Nullable RunningCall call;

  private WatchStream(
      String what,
      Duration total,
      int maxObjectBytes,
      @Nullable Duration markerTimeout,
      WatchSink sink) {
    this.what = what;
    this.total = total;
    this.maxObjectBytes = maxObjectBytes;
    this.initial = markerTimeout;
    this.sink = sink;
    this.overdue = new Transport(what + ": longer than asked for");
  }

  /**
   * Only changes.
   *
   * @param total after which it is ended from here, as if the apiserver had; some ignore what was
   *     asked
   */
  static WatchStream changes(String what, Duration total, int maxObjectBytes, WatchSink sink) {
    return new WatchStream(what, total, maxObjectBytes, null, sink);
  }

  /** All objects, then changes. */
  static WatchStream list(
      String what, Duration total, int maxObjectBytes, Duration markerTimeout, WatchSink sink) {
    return new WatchStream(what, total, maxObjectBytes, markerTimeout, sink);
  }

  WatchOutcome follow(ApiConnection connection, ApiRequest request) {
    try {
      var _ = connection.get(request, this::read);
      return initial == null
          ? new WatchOutcome(null)
          : new WatchOutcome(new Unsupported(what + ": ended before the end of the list"));
    } catch (KubeException e) {
      UpstreamFailure failure = e.failure();
      if (failure.equals(overdue)) {
        return new WatchOutcome(null);
      }
      return new WatchOutcome(
          initial != null && failure instanceof BadRequest
              ? new Unsupported(failure.message())
              : failure);
    }
  }

  /** Ends it as if the apiserver had, from any thread; not before it was answered, nor a list. */
  void cut() {
    RunningCall running = call;
    if (running != null && initial == null) {
      running.end(overdue);
    }
  }

  /** Returns at a clean end; the result means nothing. */
  private boolean read(InputStream body, RunningCall call)
      throws IOException, JsonException, KubeException {
    this.call = call;
    List<Future<?>> clocks = new ArrayList<>();
    clocks.add(call.endAfter(total, overdue));
    Duration list = initial;
    if (list == null) {
      sink.opened();
    } else {
      marker =
          call.endAfter(
              list, new Unsupported(what + ": no end of the list within " + Texts.duration(list)));
      clocks.add(marker);
    }
    WatchReader reader = new WatchReader(body, maxObjectBytes);
    try {
      while (reader.next()) {
        frame(reader);
      }
      return true;
    } catch (CutException e) {
      throw new KubeException(call.endedOr(new Transport(what + ": cut inside an event")));
    } finally {
      clocks.forEach(clock -> clock.cancel(false));
    }
  }

  private void frame(WatchReader frame) throws JsonException, KubeException {
    switch (frame.type()) {
      case ADDED -> sink.event(EventType.ADDED, frame.buffer(), frame.from(), frame.to());
      case MODIFIED -> change(EventType.MODIFIED, frame);
      case DELETED -> change(EventType.DELETED, frame);
      case BOOKMARK -> bookmark(document(frame));
      case ERROR -> throw refused(Refusal.of(document(frame)));
    }
  }

  private static Document document(WatchReader frame) throws JsonException {
    return Document.parse(frame.buffer(), frame.from(), frame.to());
  }

  private void change(EventType type, WatchReader frame) throws KubeException {
    if (initial != null) {
      throw new KubeException(new Unsupported(what + ": a change came before the end of the list"));
    }
    sink.event(type, frame.buffer(), frame.from(), frame.to());
  }

  private void bookmark(Document object) throws JsonException {
    Document metadata = object.object("metadata");
    String version = metadata.text("resourceVersion");
    if (version.isEmpty()) {
      throw new JsonException("a bookmark without resourceVersion");
    }
    if (initial == null) {
      // A second marker, or one that nobody asked for, is a bookmark like others.
      sink.bookmark(version, BookmarkKind.PROGRESS);
    } else if (metadata.object("annotations").flag(INITIAL_EVENTS_END)) {
      initial = null;
      if (marker != null) {
        marker.cancel(false);
      }
      sink.bookmark(version, BookmarkKind.INITIAL_EVENTS_END);
    }
    // Before the marker a bookmark proves nothing: not all of the list is here.
  }

  private KubeException refused(Refusal refusal) {
    UpstreamFailure failure = refusal.failure(what);
    // How a server says that its etcd cannot do a streaming list.
    return new KubeException(
        initial != null && refusal.code() == 500 ? new Unsupported(failure.message()) : failure);
  }
}
