package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batcher of the scans of one cache: finds the objects that feeds select in the current state, for
 * all requests in one pass. The first request is served at once; requests during a pass are served
 * by the next pass. The passes run on a small pool, in bounded pieces. Thread-safe.
 */
final class ScanBatcher {
  private static final Logger log = LoggerFactory.getLogger(ScanBatcher.class);

  /** Objects per piece of work: a few milliseconds. */
  private static final int OBJECTS_PER_RUN = 16_384;

  private final WatchCache cache;
  private final SerialTask task;
  private Map<Feed, Search> requested = new LinkedHashMap<>();
  private @Nullable Pass pass;

  ScanBatcher(WatchCache cache, Executor pool) {
    this.cache = cache;
    this.task = new SerialTask(pool, this::work);
  }

  /**
   * Objects that a feed selects.
   *
   * @param at revision of the scan: the head at the time of the request, or a later revision
   * @param objects the objects in key order; null if they are more than {@link
   *     SnapshotSettings#MAX_SCAN_RESULTS}
   */
  record Found(Revision at, @Nullable List<KubeObject> objects) {}

  /** Callback of a request; called on any thread. */
  interface Callback {
    void found(Found found);

    /** Reports that the gateway itself failed. */
    void failed();
  }

  /** Requests of one feed. */
  private static final class Search {
    final List<Callback> callbacks = new ArrayList<>(1);
    @Nullable List<KubeObject> objects = new ArrayList<>(0);

    void add(KubeObject object) {
      if (objects != null && objects.size() == SnapshotSettings.MAX_SCAN_RESULTS) {
        objects = null;
      } else if (objects != null) {
        objects.add(object);
      }
    }
  }

  private record Pass(Revision at, SharedScan<Search> scan, List<Search> searches) {}

  /** Requests the objects that a feed selects. The cache must have had a first list. */
  void request(Feed feed, Callback callback) {
    synchronized (this) {
      requested.computeIfAbsent(feed, key -> new Search()).callbacks.add(callback);
    }
    task.schedule();
  }

  private boolean work() {
    Pass now = pass == null ? startPass() : pass;
    pass = now;
    if (now == null) {
      return false;
    }
    try {
      if (now.scan.run(OBJECTS_PER_RUN)) {
        return true;
      }
      for (Search search : now.searches) {
        Found found = new Found(now.at, search.objects);
        search.callbacks.forEach(callback -> callback.found(found));
      }
    } catch (RuntimeException e) {
      log.error("a scan for {} selections failed", now.searches.size(), e);
      now.searches.forEach(search -> search.callbacks.forEach(Callback::failed));
    }
    pass = null;
    return true; // there may be new requests
  }

  private @Nullable Pass startPass() {
    Map<Feed, Search> taken;
    synchronized (this) {
      if (requested.isEmpty()) {
        return null;
      }
      taken = requested;
      requested = new LinkedHashMap<>();
    }
    Revision head = Objects.requireNonNull(cache.head(), "a search before the first list");
    List<SharedScan.Waiting<Search>> waiting = new ArrayList<>(taken.size());
    taken.forEach(
        (feed, search) -> waiting.add(new SharedScan.Waiting<>(feed.selection(), search)));
    return new Pass(
        head, new SharedScan<>(head.state(), waiting, Search::add), List.copyOf(taken.values()));
  }
}
