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
 * What a {@link Subscription} is on its owner: its turns, what time brings it, its end. It costs
 * its position; it is written to only while its transport is ready, and one that does not read is
 * passed over. Everything but {@link #wake}, {@link #execute} and {@link #arrival} runs on the
 * owner.
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

  /** Until it is sent: it is what a stream asked for, and larger than all the rest of this. */
  private @Nullable StreamOpened opened;

  private final ResponseWriter out;
  private final BookmarkSender bookmarks;

  /** Whether the owner has been asked for a turn that it has not begun. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int queued;

  /** Made once: a stream is woken for each change that its transport does not take at once. */
  private final Runnable awake = this::awake;

  private final PendingGoAway leaving;
  private final StreamTimers timers;
  private final StallDetector patience = new StallDetector();
  private final long arrival;
  private final PhaseMachine course;
  private final WriteLoop turns;
  private boolean ended;

  /** Among the streams of {@link CacheSubscribers}. */
  int seat;

  /**
   * @param type and
   * @param lease are given back when it ends
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

  /** Those of an owner are numbered in about the order in which they came. */
  long arrival() {
    return arrival;
  }

  /** {@link Subscription#wake}. */
  void wake() {
    if (QUEUED.compareAndSet(this, 0, 1)) {
      owner.execute(awake);
    }
  }

  private void awake() {
    queued = 0;
    turn();
  }

  /** Runs something of this stream on its owner. */
  void execute(Runnable task) {
    owner.execute(() -> guarded(task));
  }

  // ---- turns

  /** Begins. */
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

  /** One turn. */
  void turn() {
    if (ended) {
      return;
    }
    guarded(turns::take);
  }

  /**
   * A failure of ours ends this stream; the owner's others go on. An Error, too: what a stream
   * meets with is that the transport's memory is all in use, and what uses it up is elsewhere.
   */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** The same of what another did for it. */
  void failed(Throwable e) {
    log.error("a stream of {} failed", type.cache().definition().type(), e);
    if (!ended) {
      close();
      metrics.streamEnded(type.cache().definition().type(), ErrorReason.ERROR_REASON_UNSPECIFIED);
      outlet.fail();
    }
  }

  /** Whether it is not over, after what was just done; ends it if that has led to its end. */
  boolean goesOn() {
    if (!ended && course.phase() instanceof Phase.Ended over) {
      end(over.refusal());
    }
    leaveIfDue();
    return !ended;
  }

  // ---- what the phases ask for

  LoopFollowers follow(Feed feed, LivePhase following) {
    return course.follow(feed, following);
  }

  void unfollow(LoopFollowers group, LivePhase following) {
    course.unfollow(group, following);
  }

  /** The end of the stream if the cache has come to its end; null if not. */
  @Nullable Phase endOfCache() {
    UpstreamState upstream = type.cache().upstream();
    return upstream.phase().isEnd()
        ? new Phase.Ended(CacheErrors.refusal(type.cache().definition().type(), upstream))
        : null;
  }

  // ---- what becomes of those who do not read

  /** The revision that this keeps alive, null for none. */
  @Nullable Revision standing() {
    return course.phase().standing();
  }

  /** What is to be sent has left history: it is not kept for one who does not read. */
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

  /** What it keeps alive now is accounted for, and it is ended if that is not to be. */
  private void settle() {
    course.settle();
    if (course.phase() instanceof Phase.Ended over) {
      end(over.refusal());
    }
  }

  /** Once a second, of all streams before {@link #round} of any: who is still sent something. */
  void look(ActiveConnections movement) {
    if (patience.moves(out.sentBytes(), outlet)
        && course.pressure() != OutboundBytes.Pressure.NONE) {
      movement.on(outlet);
    }
  }

  /** Once a second: one who does not read lets go of frames, and of more if need be. */
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

  // ---- what time brings

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
      end(over.refusal()); // also one that does not read
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

  /** {@link Subscription#depart}. */
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

  /** {@link Subscription#departNow}. */
  void departNow(GoingAwayNotice departure) {
    if (!ended) {
      out.signal(course.phase().position(), response -> response.setGoingAway(departure.signal()));
      end(departure.refusal());
    }
  }

  /** {@link Subscription#departIfCaughtUp}: whether it left. */
  boolean departsCaughtUp(GoingAwayNotice departure) {
    boolean leaves = !ended && PendingGoAway.isCaughtUp(course.phase());
    if (leaves) {
      departNow(departure);
    }
    return leaves;
  }

  /** {@link Subscription#expel}. */
  void expel(ApiError refusal) {
    if (!ended) {
      end(refusal);
    }
  }

  /** {@link Subscription#left}. */
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
