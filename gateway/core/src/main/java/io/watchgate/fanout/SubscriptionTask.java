package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.ApiError;
import io.watchgate.error.StreamErrors;
import io.watchgate.error.UpstreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.StreamOpened;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event-loop-confined part of a {@link Subscription}: runs it, its timers and its end. An idle
 * stream costs its position. It is written to only while its transport is ready; a stream that does
 * not read is skipped. All methods but {@link #wake}, {@link #execute} and {@link #arrival} run on
 * the event loop.
 */
final class SubscriptionTask {
  private static final Logger log = LoggerFactory.getLogger(SubscriptionTask.class);

  private static final AtomicIntegerFieldUpdater<SubscriptionTask> QUEUED =
      AtomicIntegerFieldUpdater.newUpdater(SubscriptionTask.class, "queued");

  private final StreamLoop loop;
  private final TypeLease type;
  private final RouterRegistry.Lease lease;
  private final ResponseSink sink;
  private final FanoutMetrics metrics;
  private final StreamSettings settings;

  /**
   * First response; null once it is sent, because it has the full request and is larger than the
   * rest of this object.
   */
  private @Nullable StreamOpened opened;

  private final ResponseWriter out;
  private final BookmarkSender bookmarks;

  /** True if a run was requested and has not begun. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int queued;

  /**
   * Allocated once: a stream is woken for each change that its transport does not accept at once.
   */
  private final Runnable onWake = this::onWake;

  private final PendingGoAway pendingGoAway;
  private final StreamTimers timers;
  private final StallDetector stallDetector = new StallDetector();
  private final long arrival;
  private final PhaseMachine phases;
  private final WriteLoop writeLoop;
  private boolean ended;

  /** Index in the list of {@link CacheSubscribers}. */
  int index;

  /**
   * @param type lease that is closed when the stream ends
   * @param lease lease that is closed when the stream ends
   */
  SubscriptionTask(
      Subscription.Environment environment,
      TypeLease type,
      RouterRegistry.Lease lease,
      Subscription.Request request,
      ResponseSink outlet) {
    this.loop = environment.loop();
    this.type = type;
    WatchCache cache = type.cache();
    this.lease = lease;
    this.metrics = environment.metrics();
    this.sink = outlet;
    this.settings = request.settings();
    this.opened = request.opened();
    StreamAccounting charges =
        new StreamAccounting(
            environment.userResources().outbound(), lease.router().pinnedRevisions());
    this.out =
        new ResponseWriter(
            outlet,
            request.tokens(),
            settings.maxResponseBytes(),
            loop.traffic(cache.definition().type()));
    this.bookmarks = new BookmarkSender(lease, out);
    this.timers = new StreamTimers(loop.wheel());
    this.arrival = environment.arrival();
    this.pendingGoAway =
        new PendingGoAway(environment.time(), environment.fanoutSettings().streamAge());
    StreamContext context =
        new StreamContext(
            this,
            cache,
            lease.router(),
            environment.userResources(),
            lease.feed(),
            settings,
            out,
            environment.time(),
            metrics);
    StartTimeouts waits = new StartTimeouts(environment.fanoutSettings(), this::after, this::run);
    this.phases = new PhaseMachine(this, charges, new StartPhase(context, request.start(), waits));
    this.writeLoop =
        new WriteLoop(
            this, phases, outlet, out, charges, bookmarks, stallDetector, settings.maxBatchDelay());
  }

  // ---- from any thread

  /** Returns the sequence number of the stream on its event loop, in about the order of arrival. */
  long arrival() {
    return arrival;
  }

  /** See {@link Subscription#wake}. */
  void wake() {
    if (QUEUED.compareAndSet(this, 0, 1)) {
      loop.execute(onWake);
    }
  }

  private void onWake() {
    queued = 0;
    run();
  }

  /** Runs a task of this stream on its event loop. */
  void execute(Runnable task) {
    loop.execute(() -> guarded(task));
  }

  // ---- running

  /** Starts the stream. */
  void open() {
    metrics.streamOpened(type.cache().definition().type());
    phases.join(loop.join(type.cache(), this));
    StreamOpened.Builder first = Objects.requireNonNull(opened).toBuilder();
    opened = null;
    if (type.cache().head() == null) {
      first.clearHistoryId();
    }
    out.signal(null, response -> response.setOpened(first));
    nextBookmark();
    Duration staleness = settings.maxStaleness();
    if (staleness != null) {
      checkStaleness(staleness);
    }
    run();
  }

  /** Runs the stream once: sends until the transport is not ready, or nothing is left to send. */
  void run() {
    if (ended) {
      return;
    }
    guarded(writeLoop::run);
  }

  /**
   * Runs a task. An exception of the gateway ends this stream only. So does an Error: a stream can
   * meet one because the transport's memory is exhausted, which other streams have used up.
   */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Ends the stream after a failure of code that ran for it. */
  void failed(Throwable e) {
    log.error("a stream of {} failed", type.cache().definition().type(), e);
    if (!ended) {
      close();
      metrics.streamEnded(type.cache().definition().type(), ErrorReason.ERROR_REASON_UNSPECIFIED);
      sink.fail();
    }
  }

  /**
   * Ends the stream if its phase has ended or if it is to leave. Returns whether it is still open.
   */
  boolean isOpen() {
    if (!ended && phases.phase() instanceof Phase.Ended over) {
      end(over.error());
    }
    goAwayIfDue();
    return !ended;
  }

  // ---- requests of the phases

  LoopFollowers follow(Feed feed, LivePhase following) {
    return phases.follow(feed, following);
  }

  void unfollow(LoopFollowers group, LivePhase following) {
    phases.unfollow(group, following);
  }

  /** Returns the end of the stream if the cache has ended; null otherwise. */
  @Nullable Phase endOfCache() {
    UpstreamState upstream = type.cache().upstreamState();
    return upstream.phase().isEnd()
        ? new Phase.Ended(CacheErrors.of(type.cache().definition().type(), upstream))
        : null;
  }

  // ---- streams that do not read

  /** Returns the revision that this stream keeps alive; null for none. */
  @Nullable Revision pinnedRevision() {
    return phases.phase().pinnedRevision();
  }

  /**
   * Moves the stream off the log if history was trimmed past its next frame: such a frame is not
   * kept for a stream that does not read. Returns whether it did.
   */
  boolean leaveLogIfTrimmed() {
    if (ended || !(phases.phase() instanceof LivePhase following) || !following.isTrimmed()) {
      return false;
    }
    guarded(
        () -> {
          phases.enter(following.onStall());
          updatePin();
        });
    return true;
  }

  /**
   * Accounts for the revision that the stream keeps alive, and ends the stream if its phase has
   * ended.
   */
  private void updatePin() {
    phases.updatePin();
    if (phases.phase() instanceof Phase.Ended over) {
      end(over.error());
    }
  }

  /**
   * Records whether the connection made progress. Called once a second for all streams, before
   * {@link #check} of any.
   */
  void recordActivity(ActiveConnections movement) {
    if (stallDetector.recordSecond(out.sentBytes(), sink)
        && phases.pressure() != OutboundBytes.Pressure.NONE) {
      movement.add(sink);
    }
  }

  /**
   * Checks the stream once a second: if it does not read, it releases its frames and, under
   * pressure, ends.
   */
  void check(ActiveConnections movement) {
    if (ended) {
      return;
    }
    guarded(
        () -> {
          if (stallDetector.isStalled()) {
            phases.enter(phases.phase().onStall());
          }
          updatePin();
          OutboundBytes.Pressure pressure = phases.pressure();
          if (!ended && stallDetector.hasTimedOut(pressure, movement.contains(sink))) {
            end(StreamErrors.notReading());
          }
        });
  }

  // ---- timers

  void after(Duration delay, Runnable task) {
    timers.after(
        delay,
        () -> {
          if (!ended) {
            guarded(task);
          }
        });
  }

  private void nextBookmark() {
    timers.within(settings.bookmarkInterval(), () -> guarded(this::bookmarkTick));
  }

  private void bookmarkTick() {
    bookmarks.markDue();
    nextBookmark();
    pendingGoAway.checkAge(phases.phase());
    goAwayIfDue();
    run();
    if (!ended && endOfCache() instanceof Phase.Ended over) {
      end(over.error()); // even if it does not read
    }
  }

  private void checkStaleness(Duration bound) {
    long left = bound.toNanos() - type.cache().stalenessNanos();
    if (left < 0) {
      end(UpstreamErrors.tooStale(type.cache().definition().type().groupResource()));
      return;
    }
    after(Duration.ofNanos(left).plusMillis(1), () -> checkStaleness(bound));
  }

  // ---- the end

  /** See {@link Subscription#goAway}. */
  void goAway(GoingAwayNotice departure, Duration after) {
    if (!ended && after.isZero()) {
      requestGoAway(departure);
    } else if (!ended) {
      after(after, () -> requestGoAway(departure));
    }
  }

  private void requestGoAway(GoingAwayNotice departure) {
    pendingGoAway.request(departure);
    goAwayIfDue();
  }

  private void goAwayIfDue() {
    GoingAwayNotice due = ended ? null : pendingGoAway.due(phases.phase());
    if (due != null) {
      goAwayNow(due);
    }
  }

  /** See {@link Subscription#goAwayNow}. */
  void goAwayNow(GoingAwayNotice departure) {
    if (!ended) {
      out.signal(phases.phase().position(), response -> response.setGoingAway(departure.signal()));
      end(departure.status());
    }
  }

  /** See {@link Subscription#goAwayIfCaughtUp}. Returns whether the stream was ended. */
  boolean goAwayIfCaughtUp(GoingAwayNotice departure) {
    boolean leaves = !ended && PendingGoAway.isCaughtUp(phases.phase());
    if (leaves) {
      goAwayNow(departure);
    }
    return leaves;
  }

  /** See {@link Subscription#terminate}. */
  void terminate(ApiError refusal) {
    if (!ended) {
      end(refusal);
    }
  }

  /** See {@link Subscription#transportClosed}. */
  void transportClosed(ClientEnd how) {
    if (!ended) {
      close();
      metrics.streamLeft(type.cache().definition().type(), how);
    }
    phases.releaseCharges();
  }

  private void end(ApiError refusal) {
    close();
    metrics.streamEnded(type.cache().definition().type(), refusal.reason());
    sink.end(refusal);
  }

  private void close() {
    ended = true;
    timers.cancel();
    phases.end();
    CacheSubscribers joined = phases.subscribers();
    if (joined != null) {
      loop.leave(joined, this);
    }
    lease.close();
    type.close();
  }
}
