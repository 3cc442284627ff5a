package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
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

  private final StreamLoop owner;
  private final TypeLease type;
  private final RouterRegistry.Lease lease;
  private final ResponseSink outlet;
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
  private final Runnable awake = this::awake;

  private final PendingGoAway leaving;
  private final StreamTimers timers;
  private final StallDetector patience = new StallDetector();
  private final long arrival;
  private final PhaseMachine course;
  private final WriteLoop turns;
  private boolean ended;

  /** Index in the list of {@link CacheSubscribers}. */
  int seat;

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
    this.owner = environment.owner();
    this.type = type;
    WatchCache cache = type.cache();
    this.lease = lease;
    this.metrics = environment.metrics();
    this.outlet = outlet;
    this.settings = request.settings();
    this.opened = request.opened();
    StreamAccounting charges =
        new StreamAccounting(environment.account().outbound(), lease.router().roots());
    this.out =
        new ResponseWriter(
            outlet,
            request.tokens(),
            settings.maxResponseBytes(),
            owner.traffic(cache.definition().type()));
    this.bookmarks = new BookmarkSender(lease, out);
    this.timers = new StreamTimers(owner.wheel());
    this.arrival = environment.arrival();
    this.leaving = new PendingGoAway(environment.time(), environment.waits().streamAge());
    StreamContext context =
        new StreamContext(
            this,
            cache,
            lease.router(),
            environment.account(),
            lease.feed(),
            settings,
            out,
            environment.time(),
            metrics);
    StartTimeouts waits = new StartTimeouts(environment.waits(), this::after, this::turn);
    this.course = new PhaseMachine(this, charges, new StartPhase(context, request.start(), waits));
    this.turns =
        new WriteLoop(
            this, course, outlet, out, charges, bookmarks, patience, settings.maxBatchDelay());
  }

  // ---- from any thread

  /** Returns the sequence number of the stream on its event loop, in about the order of arrival. */
  long arrival() {
    return arrival;
  }

  /** See {@link Subscription#wake}. */
  void wake() {
    if (QUEUED.compareAndSet(this, 0, 1)) {
      owner.execute(awake);
    }
  }

  private void awake() {
    queued = 0;
    turn();
  }

  /** Runs a task of this stream on its event loop. */
  void execute(Runnable task) {
    owner.execute(() -> guarded(task));
  }

  // ---- running

  /** Starts the stream. */
  void open() {
    metrics.streamOpened(type.cache().definition().type());
    course.join(owner.join(type.cache(), this));
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
    turn();
  }

  /** Runs the stream once: sends until the transport is not ready, or nothing is left to send. */
  void turn() {
    if (ended) {
      return;
    }
    guarded(turns::take);
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
      outlet.fail();
    }
  }

  /**
   * Ends the stream if its phase has ended or if it is to leave. Returns whether it is still open.
   */
  boolean goesOn() {
    if (!ended && course.phase() instanceof Phase.Ended over) {
      end(over.refusal());
    }
    leaveIfDue();
    return !ended;
  }

  // ---- requests of the phases

  LoopFollowers follow(Feed feed, LivePhase following) {
    return course.follow(feed, following);
  }

  void unfollow(LoopFollowers group, LivePhase following) {
    course.unfollow(group, following);
  }

  /** Returns the end of the stream if the cache has ended; null otherwise. */
  @Nullable Phase endOfCache() {
    UpstreamState upstream = type.cache().upstream();
    return upstream.phase().isEnd()
        ? new Phase.Ended(CacheErrors.refusal(type.cache().definition().type(), upstream))
        : null;
  }

  // ---- streams that do not read

  /** Returns the revision that this stream keeps alive; null for none. */
  @Nullable Revision standing() {
    return course.phase().standing();
  }

  /**
   * Moves the stream off the log if history was trimmed past its next frame: such a frame is not
   * kept for a stream that does not read. Returns whether it did.
   */
  boolean stepBackIfTrimmed() {
    if (ended || !(course.phase() instanceof LivePhase following) || !following.isTrimmed()) {
      return false;
    }
    guarded(
        () -> {
          course.enter(following.stalls());
          settle();
        });
    return true;
  }

  /**
   * Accounts for the revision that the stream keeps alive, and ends the stream if its phase has
   * ended.
   */
  private void settle() {
    course.settle();
    if (course.phase() instanceof Phase.Ended over) {
      end(over.refusal());
    }
  }

  /**
   * Records whether the connection made progress. Called once a second for all streams, before
   * {@link #round} of any.
   */
  void look(ActiveConnections movement) {
    if (patience.moves(out.sentBytes(), outlet)
        && course.pressure() != OutboundBytes.Pressure.NONE) {
      movement.on(outlet);
    }
  }

  /**
   * Checks the stream once a second: if it does not read, it releases its frames and, under
   * pressure, ends.
   */
  void round(ActiveConnections movement) {
    if (ended) {
      return;
    }
    guarded(
        () -> {
          if (patience.stalls()) {
            course.enter(course.phase().stalls());
          }
          settle();
          OutboundBytes.Pressure pressure = course.pressure();
          if (!ended && patience.isOver(pressure, movement.isOn(outlet))) {
            end(StreamErrors.unread());
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
    bookmarks.fallDue();
    nextBookmark();
    leaving.lookAtAge(course.phase());
    leaveIfDue();
    turn();
    if (!ended && endOfCache() instanceof Phase.Ended over) {
      end(over.refusal()); // even if it does not read
    }
  }

  private void checkStaleness(Duration bound) {
    long left = bound.toNanos() - type.cache().stalenessNanos();
    if (left < 0) {
      end(StreamErrors.tooStale(type.cache().definition().type()));
      return;
    }
    after(Duration.ofNanos(left).plusMillis(1), () -> checkStaleness(bound));
  }

  // ---- the end

  /** See {@link Subscription#depart}. */
  void depart(GoingAwayNotice departure, Duration after) {
    if (!ended && after.isZero()) {
      departs(departure);
    } else if (!ended) {
      after(after, () -> departs(departure));
    }
  }

  private void departs(GoingAwayNotice departure) {
    leaving.because(departure);
    leaveIfDue();
  }

  private void leaveIfDue() {
    GoingAwayNotice due = ended ? null : leaving.due(course.phase());
    if (due != null) {
      departNow(due);
    }
  }

  /** See {@link Subscription#departNow}. */
  void departNow(GoingAwayNotice departure) {
    if (!ended) {
      out.signal(course.phase().position(), response -> response.setGoingAway(departure.signal()));
      end(departure.refusal());
    }
  }

  /** See {@link Subscription#departIfCaughtUp}. Returns whether the stream was ended. */
  boolean departsCaughtUp(GoingAwayNotice departure) {
    boolean leaves = !ended && PendingGoAway.isCaughtUp(course.phase());
    if (leaves) {
      departNow(departure);
    }
    return leaves;
  }

  /** See {@link Subscription#expel}. */
  void expel(ApiError refusal) {
    if (!ended) {
      end(refusal);
    }
  }

  /** See {@link Subscription#left}. */
  void left(ClientEnd how) {
    if (!ended) {
      close();
      metrics.streamLeft(type.cache().definition().type(), how);
    }
    course.giveBack();
  }

  private void end(ApiError refusal) {
    close();
    metrics.streamEnded(type.cache().definition().type(), refusal.reason());
    outlet.end(refusal);
  }

  private void close() {
    ended = true;
    timers.cancel();
    course.end();
    CacheSubscribers joined = course.readers();
    if (joined != null) {
      owner.leave(joined, this);
    }
    lease.close();
    type.close();
  }
}
