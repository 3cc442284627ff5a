package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link Reflector} does next when something failed: how long it waits, and whether it
 * watches on or lists anew. Used by the reflector's thread only.
 *
 * <table>
 * <caption>What follows on what</caption>
 * <tr><td>clean end</td><td>look whether the cluster went back, watch from the same version; after less than a second without
 * events only after a wait</td></tr>
 * <tr><td>Transport, Throttled, Unauthorized, Forbidden, ServerError, NotYetReached</td><td>wait (at least Retry-After), look whether the
 * cluster went back, watch from the same version; a fourth ServerError while lists work: list</td></tr>
 * <tr><td>Malformed</td><td>once: watch from the same version; again: list</td></tr>
 * <tr><td>Expired</td><td>list; wait before, if no watch worked since the last list</td></tr>
 * <tr><td>BadRequest, an event out of order</td><td>wait, list</td></tr>
 * <tr><td>TypeGone</td><td>ask the discovery: gone, defined anew, or not ready yet</td></tr>
 * <tr><td>Unsupported (streaming list)</td><td>paged list, and no streaming list for an hour</td></tr>
 * <tr><td>a third ServerError, NotYetReached or Malformed of streaming lists in a row</td><td>paged lists until one works</td></tr>
 * </table>
 */
final class Recovery {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  /**
   * After so many server errors, of watches while lists work, the position itself is suspected (an
   * object that cannot be encoded ends every watch).
   */
  private static final int ERRORS_BEFORE_LIST = 4;

  /** Servers that are none of Kubernetes' own may have lists, and stream none, in many ways. */
  private static final int STREAMING_ATTEMPTS = 3;

  private final Cluster cluster;
  private final Probe probe;
  private final WatchCache cache;
  private final CacheSettings settings;
  private final TimeSource time;
  private final Waiting waiting;
  private final CacheMetrics metrics;
  private final CountDownLatch stopped;
  private final Backoff backoff;
  private long streamingListNotBefore;
  private int streamingFailures;
  private int malformed;
  private int serverErrors;

  /** Whether a watch has brought anything since the last list. */
  private boolean watchWorked;

  /** Whether nothing came since the watch was cut. */
  private boolean cut;

  /** Why the next step is a list; null: a watch from the head. */
  private @Nullable String listReason = "initial";

  /**
   * @param stopped ends every wait
   */
  Recovery(
      Cluster cluster,
      Probe probe,
      WatchCache cache,
      CacheSettings settings,
      Pace pace,
      CacheMetrics metrics,
      CountDownLatch stopped) {
    this.cluster = cluster;
    this.probe = probe;
    this.cache = cache;
    this.settings = settings;
    this.time = pace.time();
    this.waiting = pace.waiting();
    this.metrics = metrics;
    this.stopped = stopped;
    this.backoff = new Backoff(settings.retries().base(), settings.retries().cap(), pace.random());
    this.streamingListNotBefore = time.nanoTime();
  }

  /** Why the next step is a list; null: a watch from the head. */
  @Nullable String listReason() {
    return listReason;
  }

  /** The next step is a list. */
  void listFor(String reason) {
    listReason = reason;
  }

  boolean mayStreamLists() {
    return streamingFailures < STREAMING_ATTEMPTS && time.nanoTime() - streamingListNotBefore >= 0;
  }

  /** A list was taken in; {@code first}: there was nothing before. */
  void listed(boolean first) {
    listReason = null;
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
    cut = false;
    if (first || watchWorked) { // else lists follow on lists, and that calls for waits
      backoff.reset();
    }
    watchWorked = false;
    streamingFailures = 0;
    malformed = 0;
    serverErrors = 0;
  }

  /** A watch brought something. */
  void works() {
    if (cut) {
      log.info("{}: watching again, nothing was missed", type());
    }
    backoff.reset();
    malformed = 0;
    serverErrors = 0;
    watchWorked = true;
    cut = false;
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
  }

  /** Lists anew, but not at once: the server that sent it may do so again. */
  void violated(WatchApplier.Violation violation) throws InterruptedException {
    log.warn("{}: {}", type(), violation.getMessage());
    var failure = new UpstreamFailure.Malformed(String.valueOf(violation.getMessage()));
    if (violation.reason.equals("malformed")) {
      react(failure);
      return;
    }
    metrics.watchEnded(violation.reason);
    listReason = violation.reason;
    pause(failure);
  }

  /**
   * What is known of a custom type may be half a minute old, and a list anew may have its reason in
   * a type that was defined anew: then its cache ends.
   */
  void refreshDefinition() {
    if (cache.definition().custom()
        && definitionNow() instanceof Cluster.Found found
        && !cache.definition().covers(found.definition())) {
      definedAnew(null);
    }
  }

  void react(UpstreamFailure failure) throws InterruptedException {
    boolean watching = listReason == null;
    String name = failure.getClass().getSimpleName();
    metrics.watchEnded(name);
    if (!watching && mayStreamLists()) {
      streamingFailed(failure);
    }
    switch (failure) {
      case UpstreamFailure.Expired f -> relistFor("expired", watching, f);
      case UpstreamFailure.BadRequest f -> relistFor("refused", watching, f);
      case UpstreamFailure.Malformed f -> {
        if (++malformed > 1) {
          relistFor("malformed", watching, f);
        } else {
          pause(f);
        }
      }
      case UpstreamFailure.Unsupported f -> {
        streamingListNotBefore = time.nanoTime() + settings.retries().streamingList().toNanos();
        log.info("{}: no streaming list here ({}); listing page by page", type(), f.message());
        if (watching) {
          listReason = "refused";
        }
      }
      case UpstreamFailure.TypeGone f -> typeGone(f);
      case UpstreamFailure.ServerError _,
          UpstreamFailure.Throttled _,
          UpstreamFailure.NotYetReached _,
          UpstreamFailure.Unauthorized _,
          UpstreamFailure.Forbidden _,
          UpstreamFailure.Transport _ ->
          pause(failure);
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

  private void streamingFailed(UpstreamFailure failure) {
    boolean isAnswer =
        failure instanceof UpstreamFailure.ServerError
            || failure instanceof UpstreamFailure.NotYetReached
            || failure instanceof UpstreamFailure.Malformed;
    if (isAnswer && ++streamingFailures == STREAMING_ATTEMPTS) {
      log.info("{}: streaming lists fail; listing page by page until that works", type());
    }
  }

  /**
   * After an expired watch the list follows at once; a list that failed, or a second one in a row,
   * waits.
   */
  private void relistFor(String reason, boolean watching, UpstreamFailure failure)
      throws InterruptedException {
    if (watching) {
      listReason = reason;
      log.info("{}: listing anew: {}", type(), failure.message());
      if (backoff.failures() == 0 && failure instanceof UpstreamFailure.Expired) {
        backoff.next(Duration.ZERO);
        return;
      }
    }
    pause(failure);
  }

  private void pause(UpstreamFailure failure) throws InterruptedException {
    UpstreamState.Phase phase =
        cache.head() == null ? UpstreamState.Phase.LOADING : UpstreamState.Phase.DISCONNECTED;
    cache.upstream(new UpstreamState(phase, failure));
    cut = true;
    Duration wait = backoff.next(failure.retryAfter());
    log.info("{}: {}; trying again in {} ms", type(), failure.message(), wait.toMillis());
    waiting.await(stopped, wait);
  }

  /**
   * Between two watches: one from a version that the apiserver does not have yet is silent until it
   * has. After a restore from a backup that would be for hours, with changes lost. A consistent
   * list of one object tells. Returns whether it was answered.
   */
  boolean probe() {
    Revision head = cache.head();
    if (stopped.getCount() == 0 || head == null) {
      return false;
    }
    Probe.Outcome outcome = probe.ask(head);
    if (outcome instanceof Probe.Behind) {
      listReason = "rollback";
    }
    return !(outcome instanceof Probe.Failed);
  }

  private void typeGone(UpstreamFailure.TypeGone failure) throws InterruptedException {
    switch (definitionNow()) {
      case Cluster.Unknown unknown -> {
        log.info("{}: the apiserver does not serve it any more", type());
        cache.upstream(new UpstreamState(UpstreamState.Phase.GONE, failure));
      }
      case Cluster.Found found when !cache.definition().covers(found.definition()) -> {
        definedAnew(failure);
      }
      // Known, but its handler is not ready; or the discovery is away, and then nothing is proven.
      case Cluster.Found found -> pause(failure);
      case Cluster.Unavailable unavailable -> pause(unavailable.failure());
    }
  }

  private void definedAnew(@Nullable UpstreamFailure failure) {
    log.info("{}: was defined anew; streams end and find the new one", type());
    cache.upstream(new UpstreamState(UpstreamState.Phase.REDEFINED, failure));
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
