package io.watchgate.fanout;

import io.watchgate.cache.WatchCache;
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

/** The routers of all types that have streams, and the feeds of each. Thread-safe. */
public final class RouterRegistry implements AutoCloseable {
  private final Executor pool;
  private final Executor replays;
  private final ScheduledExecutorService timer;
  private final FanoutSettings.Limits limits;
  private final OutboundBytes outbound;
  private final SnapshotAdmission admission;
  private final UserResources shared;
  private final AtomicInteger feeds = new AtomicInteger();
  private final Map<WatchCache, Entry> entries = new HashMap<>();

  /**
   * @param pool for routing: as many threads as cores, shared by all types
   * @param replays for catching up and for searches: few threads, so that live streams keep theirs
   * @param timer only passes on to {@code replays}
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
    this.shared = new UserResources(UserResources.Of.EVERYBODY, outbound, admission);
  }

  /** With threads of their own, which end with {@link #close}. */
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
        // Once closed, the news of a reflector that ends finds nobody who could use it.
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Ends the threads, if they are its own, once what they have to do is done. */
  @Override
  public void close() {
    for (Executor threads : List.of(pool, replays)) {
      if (threads instanceof ExecutorService own) {
        own.shutdown();
      }
    }
  }

  /** Of all whom nothing tells apart. */
  public UserResources shared() {
    return shared;
  }

  /**
   * Of one user.
   *
   * @param unreadBytes what may wait in the transport for those of his streams that do not read
   */
  public UserResources account(long unreadBytes) {
    return new UserResources(UserResources.Of.ONE_USER, outbound.part(unreadBytes), admission);
  }

  /** What is measured of one type. */
  public record Measured(WatchCache cache, int roots, long rootBytes, long routerLagBytes) {}

  /** One for each type with streams. */
  public synchronized List<Measured> measured() {
    List<Measured> all = new ArrayList<>(entries.size());
    entries.forEach((cache, entry) -> all.add(entry.router.measured()));
    return all;
  }

  /** What waits in the transport for those who do not read, about. */
  public long outboundBytes() {
    return outbound.bytes();
  }

  /** Of the snapshots under way. */
  public long snapshotBytes() {
    return admission.bytes();
  }

  /** Of the heap, what snapshots and net effects under way occupy, about. */
  public long encodedBytes() {
    return admission.encoded().get();
  }

  /** How many streams wait until their snapshot may begin. */
  public int snapshotsWaiting() {
    return admission.waiting();
  }

  /** How many different selections and projections are served. */
  public int feeds() {
    return feeds.get();
  }

  private static final class Entry {
    final ChangeRouter router;
    final FeedRegistry feeds;
    int users;

    Entry(ChangeRouter router, FeedRegistry feeds) {
      this.router = router;
      this.feeds = feeds;
    }
  }

  /** A feed and its router, for one stream, which gives it back. */
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

    /** Called once. */
    void close() {
      entry.feeds.close(feed);
      leave(cache, entry);
    }
  }

  /**
   * @throws ApiException QUOTA where it would be one feed too many
   */
  Lease open(
      WatchCache cache,
      CompiledSelection selection,
      ObjectProjection projection,
      ResumeTokenCodec tokens)
      throws ApiException {
    Entry entry = enter(cache);
    try {
      return new Lease(cache, entry, entry.feeds.open(selection, projection, tokens));
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
              new PinnedRevisions(cache, limits.roots()));
      entry = new Entry(router, new FeedRegistry(feeds, limits.feeds()));
      entries.put(cache, entry);
      router.open();
    }
    entry.users++;
    return entry;
  }

  private synchronized void leave(WatchCache cache, Entry entry) {
    if (--entry.users == 0) {
      entries.remove(cache);
      entry.router.close();
    }
  }
}
