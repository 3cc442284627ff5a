package io.watchgate.feed;

import io.watchgate.cache.OpenType;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream: what it asked for and how far it has come. It costs its position; it is written to
 * only while its transport is ready, and one that does not read is passed over. Everything but
 * {@link #open}, {@link #wake}, {@link #cancel} and {@link #drain} runs on its owner.
 */
public final class Subscription {
  private static final Logger log = LoggerFactory.getLogger(Subscription.class);

  /** What one turn may send before the others of the owner have theirs. */
  private static final long TURN_BYTES = 64 << 10;

  private final Owner owner;
  private final OpenType type;
  private final WatchCache cache;
  private final TimeSource time;
  private final Outlet outlet;
  private final FeedMetrics metrics;
  private final StreamSettings settings;
  private final ResponseWriter out;
  private final StreamOpened opened;
  private final AtomicBoolean queued = new AtomicBoolean();
  private final List<Future<?>> timers = new ArrayList<>();
  private final Batching batching;
  private Phase phase;
  private boolean ended;
  private boolean bookmarkDue;

  /** What is the same for all streams of a gateway. */
  public record Environment(
      Owner owner, FeedSettings waits, TimeSource time, FeedMetrics metrics) {}

  /** What a stream asks for, checked and resolved. */
  public record Request(
      Selection selection,
      Projection projection,
      StreamSettings settings,
      StartPoint start,
      Tokens tokens,
      StreamOpened opened) {}

  /**
   * @param type a lease, which the subscription gives back when it ends
   */
  public Subscription(Environment environment, OpenType type, Request request, Outlet outlet) {
    this.owner = environment.owner();
    this.type = type;
    this.cache = type.cache();
    this.time = environment.time();
    this.metrics = environment.metrics();
    this.outlet = outlet;
    this.settings = request.settings();
    this.opened = request.opened();
    this.out = new ResponseWriter(outlet, request.tokens(), settings.maxResponseBytes(), metrics);
    StreamContext context =
        new StreamContext(
            cache,
            request.selection(),
            settings,
            new EventEncoder(request.projection(), settings.maxResponseBytes()),
            out,
            request.tokens(),
            time,
            metrics);
    this.batching = new Batching(settings.maxBatchDelay(), this::after, this::turn);
    StartWaits waits = new StartWaits(environment.waits(), this::after, this::turn);
    this.phase = new AwaitingStart(context, request.start(), waits);
  }

  /** Begins. Called once, from any thread. */
  public void open() {
    execute(
        () -> {
          metrics.streamOpened(cache.definition().type());
          owner.join(cache, this);
          StreamOpened.Builder first = opened.toBuilder();
          if (cache.head() == null) {
            first.clearHistoryId();
          }
          out.signal(null, response -> response.setOpened(first));
          after(settings.bookmarkInterval(), this::bookmarkTick);
          Duration staleness = settings.maxStaleness();
          if (staleness != null) {
            checkStaleness(staleness);
          }
          turn();
        });
  }

  /** There may be something to do: the transport is ready again. From any thread. */
  public void wake() {
    if (queued.compareAndSet(false, true)) {
      execute(
          () -> {
            queued.set(false);
            turn();
          });
    }
  }

  /** The client is gone. From any thread. */
  public void cancel() {
    execute(
        () -> {
          if (!ended) {
            close(ErrorReason.ERROR_REASON_UNSPECIFIED);
          }
        });
  }

  /** The gateway shuts down: says where to go on, and ends. From any thread. */
  public void drain(Duration reconnectWithin) {
    execute(
        () -> {
          if (ended) {
            return;
          }
          com.google.protobuf.Duration within = ProtoTime.of(reconnectWithin);
          out.signal(
              phase.position(),
              response ->
                  response.setGoingAway(
                      GoingAway.newBuilder()
                          .setReason(GoingAwayReason.GOING_AWAY_REASON_DRAINING)
                          .setReconnectWithin(within)));
          end(
              Refusal.retry(
                  ErrorReason.ERROR_REASON_DRAINING,
                  reconnectWithin,
                  "this gateway shuts down. Resume with the last token, on another replica or once"
                      + " it is back."));
        });
  }

  /** One turn: sends while the transport is ready, at most {@link #TURN_BYTES}. */
  void turn() {
    if (!ended) {
      guarded(this::advance);
    }
  }

  private void execute(Runnable task) {
    owner.execute(() -> guarded(task));
  }

  /** A failure of ours ends this stream; the owner's others go on. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("a stream of {} failed", cache.definition().type(), e);
      if (!ended) {
        close(ErrorReason.ERROR_REASON_UNSPECIFIED);
        outlet.fail();
      }
    }
  }

  private void advance() {
    Revision standing = phase.standing();
    if (standing != null && !cache.mayStandOn(standing)) {
      phase = phase.letGo();
    }
    if (phase instanceof Phase.Ended over) { // tells even those who do not read
      end(over.refusal());
      return;
    }
    if (!bookmarkDue && phase instanceof Following following && batching.holdsBack(following)) {
      return;
    }
    long until = out.sentBytes() + TURN_BYTES;
    while (outlet.isReady()) {
      if (bookmarkDue) {
        bookmark();
      }
      long before = out.sentBytes();
      Phase next = phase.step();
      if (next == null) {
        batching.sent();
        endIfCacheEnded();
        return;
      }
      boolean searching = next.equals(phase) && out.sentBytes() == before;
      phase = next;
      if (next instanceof Phase.Ended over) {
        end(over.refusal());
        return;
      }
      if (searching || out.sentBytes() >= until) { // a rare match costs the others no wait either
        wake();
        return;
      }
    }
  }

  /** The revision that this keeps alive, null for none. */
  @Nullable Revision standing() {
    return phase.standing();
  }

  private void bookmarkTick() {
    bookmarkDue = true;
    after(settings.bookmarkInterval(), this::bookmarkTick);
    turn();
    if (!ended && cache.upstream().phase().isEnd()) {
      endIfCacheEnded(); // also one that does not read
    }
  }

  /** What was read from the cache is sent before it: {@link Phase#step} leaves nothing behind. */
  private void bookmark() {
    bookmarkDue = false;
    Bookmark.Builder sent = Bookmark.newBuilder().setSentAt(ProtoTime.of(time.now()));
    Instant verified = cache.verifiedAt();
    if (verified != null) {
      sent.setVerifiedAt(ProtoTime.of(verified));
    }
    out.signal(phase.position(), response -> response.setBookmark(sent));
  }

  private void checkStaleness(Duration bound) {
    long left = bound.toNanos() - cache.stalenessNanos();
    if (left < 0) {
      end(
          Refusal.retry(
              ErrorReason.ERROR_REASON_TOO_STALE,
              Duration.ofSeconds(5),
              "the apiserver has not proved this gateway's knowledge of "
                  + cache.definition().type().groupResource()
                  + " up to date for longer than max_staleness. Resume elsewhere, or later."));
      return;
    }
    after(Duration.ofNanos(left).plusMillis(1), () -> checkStaleness(bound));
  }

  private void endIfCacheEnded() {
    UpstreamState upstream = cache.upstream();
    if (upstream.phase().isEnd()) {
      end(CacheEnd.refusal(cache.definition().type(), upstream));
    }
  }

  private void end(Refusal refusal) {
    close(refusal.reason());
    outlet.end(refusal);
  }

  private void close(ErrorReason reason) {
    ended = true;
    timers.forEach(timer -> timer.cancel(false));
    timers.clear();
    owner.leave(cache, this);
    type.close();
    metrics.streamEnded(cache.definition().type(), reason);
  }

  private void after(Duration delay, Runnable task) {
    timers.removeIf(Future::isDone);
    timers.add(
        owner.schedule(
            delay,
            () -> {
              if (!ended) {
                guarded(task);
              }
            }));
  }
}
