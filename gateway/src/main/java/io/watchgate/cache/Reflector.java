package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link WatchCache} equal to what the apiserver has: one list, then watches, each from
 * where the last one ended; a list anew only where nothing else is sound, published as what it
 * changes. Owns its {@link Upstream} and one thread, the only writer of the cache.
 *
 * <table>
 * <caption>What follows on what</caption>
 * <tr><td>clean end</td><td>watch from the same version; after less than a second without events only after a wait</td></tr>
 * <tr><td>Transport, Throttled, Unauthorized, Forbidden, ServerError, NotYetReached</td><td>wait (at least Retry-After), look whether the
 * cluster went back, watch from the same version; a fourth ServerError while lists work: list</td></tr>
 * <tr><td>Malformed</td><td>once: watch from the same version; again: list</td></tr>
 * <tr><td>Expired, BadRequest, an event out of order</td><td>list</td></tr>
 * <tr><td>TypeGone</td><td>ask the discovery: gone, defined anew, or not ready yet</td></tr>
 * <tr><td>Unsupported (streaming list)</td><td>paged list, and no streaming list for an hour</td></tr>
 * </table>
 */
final class Reflector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  /**
   * After so many server errors, of watches while lists work, the position itself is suspected (an
   * object that cannot be encoded ends every watch).
   */
  private static final int ERRORS_BEFORE_LIST = 4;

  private static final Duration SHORT_WATCH = Duration.ofSeconds(1);

  private final Cluster cluster;
  private final Upstream upstream;
  private final WatchCache cache;
  private final FieldPaths paths;
  private final CacheSettings settings;
  private final TimeSource time;
  private final Waiting waiting;
  private final CacheMetrics metrics;
  private final Backoff backoff;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;
  private long streamingListNotBefore;
  private int malformed;
  private int serverErrors;

  /** Whether a watch has brought anything since the last list. */
  private boolean watchWorked;

  /** Whether nothing came since the watch was cut. */
  private boolean cut;

  /** Why the next step is a list; null: a watch from the head. */
  private @Nullable String listReason = "initial";

  Reflector(
      Cluster cluster,
      WatchCache cache,
      FieldPaths paths,
      CacheSettings settings,
      Pace pace,
      CacheMetrics metrics,
      ThreadFactory threads) {
    this.cluster = cluster;
    this.upstream = cluster.open(cache.definition());
    this.cache = cache;
    this.paths = paths;
    this.settings = settings;
    this.time = pace.time();
    this.waiting = pace.waiting();
    this.metrics = metrics;
    this.backoff = new Backoff(settings.backoffBase(), settings.backoffCap(), pace.random());
    this.streamingListNotBefore = time.nanoTime();
    this.thread = threads.newThread(this::run);
    thread.setName("reflector-" + cache.definition().type().groupResource());
  }

  void start() {
    thread.start();
  }

  /** Ends the list-watch. Returns at once; the thread ends as soon as its call does. */
  @Override
  public void close() {
    stopped.countDown();
    upstream.close();
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private void run() {
    try {
      while (!isStopped() && !cache.upstream().phase().isEnd()) {
        step();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StateBudget.TooLarge e) {
      log.warn(
          "{}: its state needs {}; it is not served. Give the gateway a larger heap.",
          type(),
          e.getMessage());
      cache.upstream(UpstreamState.of(UpstreamState.Phase.TOO_LARGE));
    } catch (WatchApplier.Unordered e) {
      log.warn("{}: its resourceVersions are no decimal numbers; it cannot be served", type());
      cache.upstream(UpstreamState.of(UpstreamState.Phase.UNORDERED));
    } catch (RuntimeException | Error e) {
      log.error("{}: the reflector failed; the type is closed and opens anew on demand", type(), e);
    } finally {
      upstream.close();
      if (!cache.upstream().phase().isEnd()) {
        cache.upstream(UpstreamState.of(UpstreamState.Phase.CLOSED));
      }
    }
  }

  private void step() throws InterruptedException {
    UpstreamFailure failure;
    try {
      failure = listReason != null ? list(listReason) : watch();
    } catch (WatchApplier.Violation e) {
      violated(e);
      return;
    } catch (ListCollector.Unreadable e) {
      failure = new UpstreamFailure.Malformed(String.valueOf(e.getMessage()));
    }
    if (failure != null && !isStopped()) {
      react(failure);
    }
  }

  /** Lists anew, but not at once: the server that sent it may do so again. */
  private void violated(WatchApplier.Violation violation) throws InterruptedException {
    log.warn("{}: {}", type(), violation.getMessage());
    var failure = new UpstreamFailure.Malformed(String.valueOf(violation.getMessage()));
    if (violation.reason.equals("malformed")) {
      react(failure);
      return;
    }
    metrics.watchEnded(violation.reason);
    listReason = violation.reason;
    pause(failure, Duration.ZERO);
  }

  // ---- list

  private @Nullable UpstreamFailure list(String reason) {
    refreshDefinition();
    if (cache.upstream().phase().isEnd()) {
      return null;
    }
    Revision head = cache.head();
    ListCollector collector =
        new ListCollector(head == null ? StateMap.EMPTY : head.state(), paths, cache.budget());
    Revision.Received asked = cache.received();
    if (time.nanoTime() - streamingListNotBefore >= 0) {
      return streamingList(reason, collector, asked);
    }
    return switch (upstream.list("", collector)) {
      case Upstream.Listed listed -> {
        publish(reason, collector, asked, listed.resourceVersion());
        yield null;
      }
      case Upstream.ListFailed failed -> failed.failure();
    };
  }

  /**
   * A list and the watch after it in one stream: no moment between them, and no large answer to
   * hold on the server.
   */
  private @Nullable UpstreamFailure streamingList(
      String reason, ListCollector collector, Revision.Received asked) {
    WatchApplier applier = new WatchApplier(cache, paths, metrics);
    Working changes = new Working(applier);
    long began = time.nanoTime();
    Upstream.WatchOutcome outcome =
        upstream.watchList(
            settings.markerTimeout(),
            new Upstream.WatchSink() {
              private boolean complete;

              @Override
              public void event(Upstream.EventType type, byte[] buffer, int from, int to) {
                if (complete) {
                  changes.event(type, buffer, from, to);
                } else {
                  collector.item(java.util.Arrays.copyOfRange(buffer, from, to));
                }
              }

              @Override
              public void bookmark(String version, Upstream.BookmarkKind kind) {
                if (complete) {
                  changes.bookmark(version, kind);
                } else if (kind == Upstream.BookmarkKind.INITIAL_EVENTS_END) {
                  complete = true;
                  publish(reason, collector, asked, version);
                }
              }
            });
    if (listReason == null) {
      return watchEnded(outcome, applier, began);
    }
    UpstreamFailure failure = outcome.failure();
    return failure != null
        ? failure
        : new UpstreamFailure.Unsupported("the streaming list ended before its end marker");
  }

  private void publish(
      String reason, ListCollector collector, Revision.Received asked, String resourceVersion) {
    ResourceVersion version = WatchApplier.ordered(resourceVersion);
    Revision head = cache.head();
    StateMap state = collector.state();
    if (cache.list(version, state, asked) == Revision.Kind.HISTORY_LOST && head != null) {
      log.warn(
          "{}: the cluster went back from what it was at version {} to what it is at {}: it was"
              + " restored, or it is another one. All subscribers get a new snapshot.",
          type(),
          head.version(),
          version);
    }
    listReason = null;
    metrics.listed(reason);
    log.info("{}: listed {} objects at version {} ({})", type(), state.size(), version, reason);
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
    cut = false;
    if (head == null || watchWorked) { // else lists follow on lists, and that calls for waits
      backoff.reset();
    }
    watchWorked = false;
    malformed = 0;
    serverErrors = 0;
  }

  /**
   * What is known of a custom type may be half a minute old, and a list anew may have its reason in
   * a type that was defined anew.
   */
  private void refreshDefinition() {
    if (!cache.definition().custom()) {
      return;
    }
    if (definitionNow() instanceof Cluster.Found found
        && !found.definition().equals(cache.definition())) {
      log.info("{}: was defined anew; streams end and find the new one", type());
      cache.upstream(UpstreamState.of(UpstreamState.Phase.REDEFINED));
    }
  }

  // ---- watch

  private @Nullable UpstreamFailure watch() {
    Revision head = cache.head();
    if (head == null) {
      throw new IllegalStateException("a watch before the list");
    }
    WatchApplier applier = new WatchApplier(cache, paths, metrics);
    if (cut) {
      applier.catchUp();
    }
    long began = time.nanoTime();
    Upstream.WatchOutcome outcome = upstream.watch(head.version().digits(), new Working(applier));
    return watchEnded(outcome, applier, began);
  }

  /** Passes on, and takes the first thing that comes as the sign that it works again. */
  private final class Working implements Upstream.WatchSink {
    private final WatchApplier applier;

    Working(WatchApplier applier) {
      this.applier = applier;
    }

    /**
     * On a quiet type nothing more comes for a minute. That the position is accepted is not proven
     * yet, nor that it goes well: the next failure waits longer all the same.
     */
    @Override
    public void opened() {
      cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
    }

    @Override
    public void event(Upstream.EventType type, byte[] buffer, int from, int to) {
      applier.event(type, buffer, from, to);
      first();
    }

    @Override
    public void bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
      applier.bookmark(resourceVersion, kind);
      first();
    }

    private void first() {
      if (applier.applied() == 1) {
        if (cut) {
          log.info("{}: watching again, nothing was missed", type());
        }
        works();
      }
    }
  }

  private @Nullable UpstreamFailure watchEnded(
      Upstream.WatchOutcome outcome, WatchApplier applier, long began) {
    UpstreamFailure failure = outcome.failure();
    if (failure != null) {
      return failure;
    }
    metrics.watchEnded("clean");
    boolean idle = applier.applied() == 0;
    if (idle && time.nanoTime() - began < SHORT_WATCH.toNanos()) {
      return new UpstreamFailure.ServerError("watches end at once, without a word", Duration.ZERO);
    }
    works();
    probe();
    return null;
  }

  private void works() {
    backoff.reset();
    malformed = 0;
    serverErrors = 0;
    watchWorked = true;
    cut = false;
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
  }

  // ---- failures

  private void react(UpstreamFailure failure) throws InterruptedException {
    boolean watching = listReason == null;
    String name = failure.getClass().getSimpleName();
    metrics.watchEnded(name);
    switch (failure) {
      case UpstreamFailure.Expired f -> relistFor("expired", watching, f, Duration.ZERO);
      case UpstreamFailure.BadRequest f -> relistFor("refused", watching, f, Duration.ZERO);
      case UpstreamFailure.Malformed f -> {
        if (++malformed > 1) {
          relistFor("malformed", watching, f, Duration.ZERO);
        } else {
          pause(f, Duration.ZERO);
        }
      }
      case UpstreamFailure.Unsupported f -> {
        streamingListNotBefore = time.nanoTime() + settings.streamingListRetry().toNanos();
        log.info("{}: no streaming list here ({}); listing page by page", type(), f.message());
        if (watching) {
          listReason = "refused";
        }
      }
      case UpstreamFailure.TypeGone f -> typeGone(f);
      case UpstreamFailure.ServerError f -> pause(f, f.retryAfter());
      case UpstreamFailure.Throttled f -> pause(f, f.retryAfter());
      case UpstreamFailure.NotYetReached f -> pause(f, f.retryAfter());
      case UpstreamFailure.Unauthorized f -> pause(f, Duration.ZERO);
      case UpstreamFailure.Forbidden f -> pause(f, Duration.ZERO);
      case UpstreamFailure.Transport f -> pause(f, Duration.ZERO);
    }
    if (watching && listReason == null && !(failure instanceof UpstreamFailure.TypeGone)) {
      boolean answers = probe();
      if (answers
          && failure instanceof UpstreamFailure.ServerError
          && ++serverErrors >= ERRORS_BEFORE_LIST
          && listReason == null) {
        listReason = "errors";
      }
    }
  }

  /**
   * After an expired watch the list follows at once; a list that failed, or a second one in a row,
   * waits.
   */
  private void relistFor(String reason, boolean watching, UpstreamFailure failure, Duration atLeast)
      throws InterruptedException {
    if (watching) {
      listReason = reason;
      log.info("{}: listing anew: {}", type(), failure.message());
      if (backoff.failures() == 0 && failure instanceof UpstreamFailure.Expired) {
        backoff.next(Duration.ZERO);
        return;
      }
    }
    pause(failure, atLeast);
  }

  private void pause(UpstreamFailure failure, Duration atLeast) throws InterruptedException {
    UpstreamState.Phase phase =
        cache.head() == null ? UpstreamState.Phase.LOADING : UpstreamState.Phase.DISCONNECTED;
    cache.upstream(new UpstreamState(phase, failure));
    cut = true;
    Duration wait = backoff.next(atLeast);
    log.info("{}: {}; trying again in {} ms", type(), failure.message(), wait.toMillis());
    waiting.await(stopped, wait);
  }

  /**
   * Between two watches: one from a version that the apiserver does not have yet is silent until it
   * has. After a restore from a backup that would be for hours, with changes lost. A consistent
   * list of one object tells. Where nothing at all happened meanwhile, it proves the state up to
   * date, too. Returns whether it was answered.
   */
  private boolean probe() {
    Revision head = cache.head();
    if (isStopped() || head == null) {
      return false;
    }
    Revision.Received asked = cache.received();
    if (!(upstream.probe() instanceof Upstream.Listed listed)) {
      return false;
    }
    ResourceVersion now = WatchApplier.ordered(listed.resourceVersion());
    if (head.version().isAfter(now)) {
      listReason = "rollback";
    } else if (head.version().equals(now)) {
      cache.upToDate(asked);
    }
    return true;
  }

  private void typeGone(UpstreamFailure.TypeGone failure) throws InterruptedException {
    switch (definitionNow()) {
      case Cluster.Unknown unknown -> {
        log.info("{}: the apiserver does not serve it any more", type());
        cache.upstream(new UpstreamState(UpstreamState.Phase.GONE, failure));
      }
      case Cluster.Found found when !found.definition().equals(cache.definition()) -> {
        log.info("{}: was defined anew; streams end and find the new one", type());
        cache.upstream(new UpstreamState(UpstreamState.Phase.REDEFINED, failure));
      }
      // Known, but its handler is not ready; or the discovery is away, and then nothing is proven.
      case Cluster.Found found -> pause(failure, Duration.ZERO);
      case Cluster.Unavailable unavailable -> pause(unavailable.failure(), Duration.ZERO);
    }
  }

  private Cluster.Resolution definitionNow() {
    ResourceType type = cache.definition().type();
    try {
      return cluster.refresh(new TypeName(type.group(), type.version(), type.resource()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Cluster.Unavailable(new UpstreamFailure.Transport("interrupted"));
    }
  }

  private ResourceType type() {
    return cache.definition().type();
  }
}
