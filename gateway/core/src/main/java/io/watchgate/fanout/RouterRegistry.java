package io.watchgate.fanout;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.WireFormat;
import io.watchgate.error.ApiException;
import io.watchgate.select.CompiledSelection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registry of the routers and feeds of all types that have streams, and owner of the router threads
 * and of the replay thread. Thread-safe.
 */
public final class RouterRegistry implements AutoCloseable {
  private final Executor pool;
  private final Executor replays;
  private final ScheduledExecutorService timer;
  private final FanoutSettings.Limits limits;
  private final OutboundBytes outbound;
  private final SnapshotAdmission admission;
  private final UserResources shared;

  /** Resources of the users that have streams, by name; the streams keep them alive. */
  private final Cache<String, UserResources> users = Caffeine.newBuilder().weakValues().build();

  private final AtomicInteger feeds = new AtomicInteger();
  private final Map<WatchCache, Entry> entries = new HashMap<>();

  /**
   * @param pool executor of the routers: as many threads as cores, shared by all types
   * @param replays executor of replays and scans: few threads, so that live streams keep theirs
   * @param timer only submits tasks to {@code replays}
   */
  public RouterRegistry(
      Executor pool,
      Executor replays,
      ScheduledExecutorService timer,
      FanoutSettings.Limits limits) {
    this.pool = pool;
    this.replays = replays;
    this.timer = timer;
    this.limits = limits;
    this.outbound = new OutboundBytes(limits.outboundBytes());
    this.admission = new SnapshotAdmission(limits.snapshotBytes());
    this.shared = new UserResources(UserResources.Scope.EVERYBODY, outbound, admission);
  }

  /**
   * Returns a registry with its own threads, which end with {@link #close}: one router thread for
   * each of {@code cores}, and one for replays.
   */
  public static RouterRegistry start(
      int cores, ScheduledExecutorService timer, FanoutSettings.Limits limits) {
    return new RouterRegistry(threads("router", cores), threads("replay", 1), timer, limits);
  }

  private static ExecutorService threads(String name, int count) {
    return new ThreadPoolExecutor(
        count,
        count,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        Thread.ofPlatform().daemon().name(name + "-", 0).factory(),
        // After closing, a change from a reflector that ends has no receiver.
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Shuts down its own threads, if it has any, after their queued tasks. */
  @Override
  public void close() {
    for (Executor threads : List.of(pool, replays)) {
      if (threads instanceof ExecutorService own) {
        own.shutdown();
      }
    }
  }

  /** Returns the resources shared by all callers that are not distinguished by user. */
  public UserResources shared() {
    return shared;
  }

  /**
   * Returns the resources of one user, the same for all its streams.
   *
   * @param user name of the user
   * @param unreadBytes limit of the bytes queued in the transport for the user's streams that do
   *     not read
   */
  public UserResources userResources(String user, long unreadBytes) {
    return users.get(
        user,
        key ->
            new UserResources(
                UserResources.Scope.ONE_USER, outbound.forUser(unreadBytes), admission));
  }

  /** Measurements of one type. */
  public record Measurement(
      WatchCache cache, int feeds, int pinnedRevisions, long pinnedBytes, long routerLagBytes) {}

  /**
   * Feed in use.
   *
   * @param projection name of the part of an object that is sent
   */
  public record FeedState(CompiledSelection selection, String projection, int streams) {}

  /** Returns one entry for each selection and format in use. */
  public List<FeedState> feedStates() {
    List<FeedRegistry> registries;
    synchronized (this) {
      registries = entries.values().stream().map(entry -> entry.feeds).toList();
    }
    return registries.stream().flatMap(feeds -> feeds.states().stream()).toList();
  }

  /** Returns one entry for each type with streams. */
  public synchronized List<Measurement> measurements() {
    List<Measurement> all = new ArrayList<>(entries.size());
    entries.forEach((cache, entry) -> all.add(entry.router.measurements(entry.feeds.size())));
    return all;
  }

  /** Returns the approximate bytes queued in the transport for streams that do not read. */
  public long outboundBytes() {
    return outbound.bytes();
  }

  /** Returns the bytes of the snapshots in progress. */
  public long snapshotBytes() {
    return admission.bytes();
  }

  /** Returns the approximate heap bytes of the snapshots and net effects in progress. */
  public long snapshotHeapBytes() {
    return admission.encoded().get();
  }

  /** Returns the number of streams that wait for the admission of their snapshot. */
  public int waitingSnapshots() {
    return admission.waitingCount();
  }

  /** Returns the number of different selections and formats in use. */
  public int feeds() {
    return feeds.get();
  }

  private static final class Entry {
    final ChangeRouter router;
    final FeedRegistry feeds;
    int streamCount;

    Entry(ChangeRouter router, FeedRegistry feeds) {
      this.router = router;
      this.feeds = feeds;
    }
  }

  /** Reference of one stream to a feed and its router; must be closed. */
  final class Lease {
    private final WatchCache cache;
    private final Entry entry;
    private final Feed feed;

    private Lease(WatchCache cache, Entry entry, Feed feed) {
      this.cache = cache;
      this.entry = entry;
      this.feed = feed;
    }

    ChangeRouter router() {
      return entry.router;
    }

    Feed feed() {
      return feed;
    }

    /** Returns feed and router. Called once. */
    void close() {
      entry.feeds.close(feed);
      leave(cache, entry);
    }
  }

  /**
   * @throws ApiException QUOTA if there would be too many feeds
   */
  Lease open(WatchCache cache, CompiledSelection selection, WireFormat format) throws ApiException {
    Entry entry = enter(cache);
    try {
      CompiledSelection read = selection.readWith(cache.definition());
      return new Lease(cache, entry, entry.feeds.open(read, format));
    } catch (ApiException e) {
      leave(cache, entry);
      throw e;
    }
  }

  private synchronized Entry enter(WatchCache cache) {
    Entry entry = entries.get(cache);
    if (entry == null) {
      ChangeRouter router =
          new ChangeRouter(
              cache,
              pool,
              new ReplayBatcher(replays, timer),
              new ScanBatcher(cache, replays),
              new PinnedRevisions(cache, limits.pinnedRevisions()));
      entry = new Entry(router, new FeedRegistry(feeds, limits.feeds()));
      entries.put(cache, entry);
      router.open();
    }
    entry.streamCount++;
    return entry;
  }

  private synchronized void leave(WatchCache cache, Entry entry) {
    if (--entry.streamCount == 0) {
      entries.remove(cache);
      entry.router.close();
    }
  }
}
