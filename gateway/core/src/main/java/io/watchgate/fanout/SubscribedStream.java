package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.Position;
import io.watchgate.error.ApiError;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SwapRemoveList;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event-loop-confined part of a {@link Subscription}: runs it, its timers and its end. An idle
 * stream needs only its position; buffers are shared. It is written to only while its transport is
 * ready; a stream that does not read is skipped. All methods run on the event loop, except those
 * under "from any thread".
 */
final class SubscribedStream extends SwapRemoveList.Item
    implements FanoutMetrics.CountedStream, Runnable {
  private static final Logger log = LoggerFactory.getLogger(SubscribedStream.class);

  private static final AtomicIntegerFieldUpdater<SubscribedStream> QUEUED =
      AtomicIntegerFieldUpdater.newUpdater(SubscribedStream.class, "queued");

  private final StreamLoop loop;
  private final TypeLease type;
  private final RouterRegistry.Lease lease;
  private final ResponseSink sink;

  /**
   * First response; null if there is none, and once it is sent, because it has the full request and
   * is larger than the rest of this object.
   */
  private @Nullable StreamOpened opened;

  private final ResponseWriter out;
  private final BookmarkSender bookmarks;

  /** True if a run was requested and has not begun. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int queued;

  private final StreamTimers timers;
  private final SlowReaderPolicy slowReader;
  private final PhaseMachine phases;
  private final long servingOrder;
  private boolean ended;

  /** True if the stream counts in the metrics: not if it ended before it was opened. */
  private boolean began;

  /** Notice of a pending request to leave; null for none. */
  private @Nullable GoingAwayNotice pendingNotice;

  /**
   * @param type lease of the cache; closed when the stream ends
   * @param lease lease of the router and the feed; closed when the stream ends
   */
  SubscribedStream(
      Subscription.Environment environment,
      TypeLease type,
      RouterRegistry.Lease lease,
      Subscription.Request request,
      ResponseSink sink) {
    this.loop = environment.loop();
    this.type = type;
    this.lease = lease;
    this.sink = sink;
    StreamOptions settings = request.settings();
    this.opened = request.opened();
    this.servingOrder = environment.servingOrder();
    WatchCache cache = type.cache();
    this.out =
        new ResponseWriter(
            sink,
            lease.feed(),
            settings.maxResponseBytes(),
            loop.sendCounters(cache.definition().type()));
    this.bookmarks = new BookmarkSender(lease, out);
    FanoutSettings limits = environment.fanoutSettings();
    this.timers =
        new StreamTimers(
            this, loop.wheel(), environment.time(), settings.maxBatchDelay(), limits.streamAge());
    this.slowReader = new SlowReaderPolicy(this, environment.userResources().outbound());
    PhaseMachine.Context context =
        new PhaseMachine.Context(
            this,
            cache,
            lease,
            environment.userResources(),
            settings,
            out,
            environment.time(),
            environment.metrics());
    this.phases =
        new PhaseMachine(context, new StartPhase(context, request.start(), timers, limits));
  }

  // ---- from any thread

  /** Returns the number by which streams are ordered: by connection, then by arrival. */
  long servingOrder() {
    return servingOrder;
  }

  /** Returns the type that the stream watches. */
  ApiResource type() {
    return type.cache().definition().type();
  }

  /** Returns the selection of the stream. */
  CompiledSelection selection() {
    return lease.feed().selection();
  }

  /** See {@link Subscription#lastActivity}. */
  StreamState.Activity lastActivity() {
    return phases.phase().lastActivity();
  }

  /** See {@link Subscription#wake}. */
  void wake() {
    if (QUEUED.compareAndSet(this, 0, 1)) {
      loop.execute(this); // and not a lambda, which each stream would hold or allocate
    }
  }

  /** Runs the stream after {@link #wake}. */
  @Override
  public void run() {
    queued = 0;
    runOnce();
  }

  /** Runs a task of this stream on its event loop. */
  void execute(Runnable task) {
    loop.execute(() -> runGuarded(task));
  }

  // ---- running

  /** Starts the stream. */
  void open() {
    if (ended) {
      return; // its permission was withdrawn before
    }
    began = true;
    metrics().streamOpened(type(), this);
    phases.join(loop.join(type.cache(), this));
    StreamOpened first = opened;
    if (first != null) {
      opened = null;
      sendOpened(first.toBuilder());
    }
    scheduleNextBookmark();
    if (settings().stalenessScope() == StreamOptions.StalenessScope.STREAM) {
      StalenessLimit.start(this, type.cache(), timers.time(), settings().maxStaleness());
    }
    runOnce();
  }

  private void sendOpened(StreamOpened.Builder first) {
    if (type.cache().head() == null) {
      first.clearHistoryId();
    }
    out.signal(null, response -> response.setOpened(first));
  }

  /** See {@link Subscription#sendBookmark}. */
  void sendBookmark() {
    if (!ended) {
      bookmarks.markDue();
      runOnce();
    }
  }

  /** Runs the stream once: sends until the transport is not ready, or nothing is left to send. */
  void runOnce() {
    if (ended) {
      return;
    }
    runGuarded(this::send);
  }

  /**
   * Sends while the transport is ready, but at most about {@link FanoutSettings#BYTES_PER_RUN}
   * before other streams of the event loop run.
   */
  private void send() {
    if (phases.phase() instanceof LivePhase live) {
      live.beginRun();
    }
    phases.enforcePin();
    if (endIfDue() || isBatching()) { // the end is sent even if the stream does not read
      return;
    }
    long until = out.sentBytes() + FanoutSettings.BYTES_PER_RUN;
    while (sink.isReady()) {
      Phase phase = phases.phase();
      slowReader.markTransportReady();
      bookmarks.sendIfReached(phase, phases.cacheStreams());
      if (slowReader.deferIfThrottled(phase, out.sentBytes())) {
        return;
      }
      long before = out.sentBytes();
      Phase next = phase.advance();
      if (next == null) {
        onDrained(phase);
        return;
      }
      long sent = out.sentBytes() - before;
      boolean searching = next.equals(phase) && sent == 0;
      phases.enter(next);
      if (endIfDue()) {
        return;
      }
      // Another response of that size might exceed the limit. A scan with few matches yields too,
      // so that other streams do not wait.
      if (searching || out.sentBytes() + sent > until) {
        wake();
        return;
      }
    }
    slowReader.markBlocked(out.lastBytes());
    if (phases.phase() instanceof LivePhase live) {
      live.block();
    }
  }

  private boolean isBatching() {
    return timers.hasBatchDelay()
        && !bookmarks.isDue()
        && phases.phase() instanceof LivePhase live
        && timers.isCollecting(live);
  }

  /** Nothing is left to send: sends a due bookmark and ends the batch. */
  private void onDrained(Phase phase) {
    bookmarks.sendIfDrained(phase);
    if (timers.hasBatchDelay()) {
      timers.endBatch();
    } else if (phase instanceof LivePhase live && !bookmarks.isDue()) {
      live.markCaughtUp();
    }
  }

  /**
   * Runs a task. An exception of the gateway ends this stream only. So does an Error: a stream can
   * meet one because the transport's memory is exhausted, which other streams have used up.
   */
  private void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      endAfterFailure(e);
    }
  }

  /** Runs a task unless the stream has ended. */
  void runIfOpen(Runnable task) {
    if (!ended) {
      runGuarded(task);
    }
  }

  /** Ends the stream after a failure of code that ran for it. */
  void endAfterFailure(Throwable e) {
    log.error("a stream of {} failed", type.cache().definition().type(), e);
    if (!ended) {
      close();
      if (began) {
        metrics().streamEnded(type(), ErrorReason.ERROR_REASON_UNSPECIFIED, this);
      }
      sink.fail();
    }
  }

  /** Ends the stream if its phase has ended or if it is to leave. Returns whether it has ended. */
  private boolean endIfDue() {
    if (!ended && phases.phase() instanceof Phase.Ended over) {
      end(over.error());
    }
    goAwayIfDue();
    return ended;
  }

  // ---- requests of the phases

  ResponseSink sink() {
    return sink;
  }

  private StreamOptions settings() {
    return phases.context().settings();
  }

  private FanoutMetrics metrics() {
    return phases.context().metrics();
  }

  /** Returns the streams of the cache that the stream has joined; it must be open. */
  CacheStreamSet cacheStreams() {
    return Objects.requireNonNull(phases.cacheStreams(), "not open");
  }

  // ---- for operators

  @Override
  public StreamIdentity identity() {
    return sink.identity();
  }

  @Override
  public long sentEvents() {
    return out.sentEvents();
  }

  @Override
  public long sentBytes() {
    return out.sentBytes();
  }

  /** Returns the present state. */
  StreamState state() {
    Phase phase = phases.phase();
    Position position = phase.position();
    Feed feed = lease.feed();
    return new StreamState(
        sink.identity(),
        feed.selection(),
        feed.format().projection().name(),
        phase.activity(),
        position == null ? "" : position.version().digits(),
        lag(phase.lagBase()),
        sink.isBlocked(),
        out.sentBytes());
  }

  private StreamState.Lag lag(@Nullable Revision base) {
    Revision head = type.cache().head();
    if (base == null || head == null || base.number() >= head.number()) {
      return StreamState.Lag.NONE;
    }
    Revision unsent = base.next();
    long since = (unsent == null ? base : unsent).receivedNanos();
    return new StreamState.Lag(
        head.events() - base.events(),
        head.supersededBytes() - base.supersededBytes(),
        Duration.ofNanos(timers.time().nanoTime() - since));
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
    if (ended || !(phases.phase() instanceof LivePhase live) || !live.isTrimmed()) {
      return false;
    }
    runGuarded(
        () -> {
          phases.enter(live.onStall());
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
  void recordActivity(SlowReaderPolicy.ActiveConnections active) {
    slowReader.recordSecond(out.sentBytes(), active);
  }

  /**
   * Checks the stream once a second: if it does not read, it releases its frames and, under
   * pressure, ends.
   */
  void check(SlowReaderPolicy.ActiveConnections active) {
    runIfOpen(
        () -> {
          if (slowReader.isStalled()) {
            phases.enter(phases.phase().onStall());
          } else {
            phases.phase().onSecond();
          }
          updatePin();
          if (!ended && slowReader.hasTimedOut(active)) {
            end(StreamErrors.notReading());
          }
        });
  }

  // ---- timers

  /** Runs a task on the event loop after a delay, unless the stream has ended. */
  void after(Duration delay, Runnable task) {
    timers.after(delay, task);
  }

  private void scheduleNextBookmark() {
    timers.within(settings().bookmarkInterval(), this::onBookmarkTimer);
  }

  private void onBookmarkTimer() {
    bookmarks.markDue();
    scheduleNextBookmark();
    if (timers.isAgeReached() && canReconnectWithoutLoss()) {
      pendingNotice = GoingAwayNotice.streamAge();
    }
    goAwayIfDue();
    runOnce();
    if (!ended && phases.endOfCache() instanceof Phase.Ended over) {
      end(over.error()); // even if it does not read
    }
  }

  /**
   * Returns whether the stream keeps up, and its client may be admitted elsewhere: while the
   * apiserver does not answer, no gateway can ask it what the client may do.
   */
  private boolean canReconnectWithoutLoss() {
    return phases.isKeepingUp()
        && type.cache().upstreamState().phase() == UpstreamState.ReflectorPhase.WATCHING;
  }

  // ---- the end

  /** See {@link Subscription#goAway}. */
  void goAway(GoingAwayNotice notice, Duration after) {
    if (!ended && after.isZero()) {
      requestGoAway(notice);
    } else if (!ended) {
      after(after, () -> requestGoAway(notice));
    }
  }

  private void requestGoAway(GoingAwayNotice notice) {
    pendingNotice = notice;
    goAwayIfDue();
  }

  private void goAwayIfDue() {
    GoingAwayNotice notice = pendingNotice;
    if (!ended && notice != null && phases.canLeave()) {
      goAwayNow(notice);
    }
  }

  /** See {@link Subscription#goAwayNow}. */
  void goAwayNow(GoingAwayNotice notice) {
    if (!ended) {
      if (phases.phase() instanceof LivePhase live) {
        live.leaveGroup(); // what follows is sent to this stream alone
      }
      out.signal(phases.phase().position(), response -> response.setGoingAway(notice.signal()));
      end(notice.status());
    }
  }

  /** See {@link Subscription#goAwayIfKeepingUp}. Returns whether the stream was ended. */
  boolean goAwayIfKeepingUp(GoingAwayNotice notice) {
    boolean leaves = !ended && phases.isKeepingUp();
    if (leaves) {
      goAwayNow(notice);
    }
    return leaves;
  }

  /** See {@link Subscription#terminate}. */
  void terminate(ApiError error) {
    if (!ended) {
      end(error);
    }
  }

  /** See {@link Subscription#transportClosed}. */
  void transportClosed(ClientEnd end) {
    if (!ended) {
      close();
      if (began) {
        metrics().streamLeft(type(), end, this);
      }
    }
    slowReader.releaseCharge();
  }

  private void end(ApiError error) {
    close();
    if (began) {
      metrics().streamEnded(type(), error.reason(), this);
    }
    sink.end(error);
  }

  private void close() {
    ended = true;
    slowReader.end();
    timers.cancel();
    phases.end();
    CacheStreamSet joined = phases.cacheStreams();
    if (joined != null) {
      loop.leave(joined, this);
    }
    lease.close();
    type.close();
  }
}
