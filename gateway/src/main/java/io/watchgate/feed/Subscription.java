package io.watchgate.feed;

import io.watchgate.cache.OpenType;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.Selection;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream: what it asked for and how far it has come. It costs its position; it is written to
 * only while its transport is ready, and one that does not read is passed over. Everything but
 * {@link #open}, {@link #wake}, {@link #cancel}, {@link #left}, {@link #depart}, {@link
 * #departIfCaughtUp}, {@link #departNow}, {@link #expel} and {@link #execute} runs on its owner.
 */
public final class Subscription {
  private static final Logger log = LoggerFactory.getLogger(Subscription.class);

  /** What one turn may send before the others of the owner have theirs. */
  private static final long TURN_BYTES = 64 << 10;

  private final Owner owner;
  private final OpenType type;
  private final WatchCache cache;
  private final Routers.Lease lease;
  private final Charges charges;
  private final Outlet outlet;
  private final FeedMetrics metrics;
  private final StreamSettings settings;

  /** Until it is sent: it is what a stream asked for, and larger than all the rest of this. */
  private @Nullable StreamOpened opened;

  private final ResponseWriter out;
  private final Bookmarks bookmarks;

  /** Null: what is to be sent is sent at once. */
  private final @Nullable Batching batching;

  private final AtomicBoolean queued = new AtomicBoolean();

  /** Made once: a stream is woken for each change that its transport does not take at once. */
  private final Runnable awake = this::awake;

  private final Leaving leaving;
  private final Timers timers;
  private final Patience patience = new Patience();
  private final Restraint restraint;
  private final long arrival;
  private Phase phase;
  private @Nullable Readers readers;
  private boolean ended;

  /** Among the subscriptions of {@link Readers}. */
  int seat;

  /**
   * What a stream lives in.
   *
   * @param arrival {@link Owner#arrival} when its call came
   * @param account of whose it is
   */
  public record Environment(
      Owner owner,
      long arrival,
      Routers routers,
      Account account,
      FeedSettings waits,
      TimeSource time,
      FeedMetrics metrics) {}

  /** What a stream asks for, checked and resolved. */
  public record Request(
      Selection selection,
      Projection projection,
      StreamSettings settings,
      StartPoint start,
      Tokens tokens,
      StreamOpened opened) {}

  /**
   * @param type a lease, which the subscription gives back when it ends, also if this throws
   * @throws RefusedException QUOTA where there are too many feeds
   */
  public Subscription(Environment environment, OpenType type, Request request, Outlet outlet)
      throws RefusedException {
    this.owner = environment.owner();
    this.type = type;
    this.cache = type.cache();
    this.metrics = environment.metrics();
    this.outlet = outlet;
    this.settings = request.settings();
    this.opened = request.opened();
    try {
      this.lease =
          environment
              .routers()
              .open(cache, request.selection(), request.projection(), request.tokens());
    } catch (RefusedException e) {
      type.close();
      throw e;
    }
    this.charges = new Charges(environment.account().outbound(), lease.router().roots());
    this.out =
        new ResponseWriter(
            outlet,
            request.tokens(),
            settings.maxResponseBytes(),
            owner.traffic(cache.definition().type()));
    this.bookmarks = new Bookmarks(lease, out);
    this.timers = new Timers(owner.wheel());
    this.restraint = new Restraint(charges, patience, this::turnAtTick);
    this.arrival = environment.arrival();
    this.leaving = new Leaving(environment.time(), environment.waits().streamAge());
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
    Duration delay = settings.maxBatchDelay();
    this.batching = delay.isZero() ? null : new Batching(delay, this::after, this::turn);
    StartWaits waits = new StartWaits(environment.waits(), this::after, this::turn);
    this.phase = new AwaitingStart(context, request.start(), waits);
  }

  // ---- from any thread

  /** Those of an owner are numbered in about the order in which they came. */
  long arrival() {
    return arrival;
  }

  /** Begins. Called once. */
  public void open() {
    execute(
        () -> {
          metrics.streamOpened(cache.definition().type());
          Readers joined = owner.join(cache, this);
          readers = joined;
          joined.listen(this);
          StreamOpened.Builder first = Objects.requireNonNull(opened).toBuilder();
          opened = null;
          if (cache.head() == null) {
            first.clearHistoryId();
          }
          out.signal(null, response -> response.setOpened(first));
          nextBookmark();
          Duration staleness = settings.maxStaleness();
          if (staleness != null) {
            checkStaleness(staleness);
          }
          turn();
        });
  }

  /** There may be something to do: the transport is ready again. */
  public void wake() {
    if (queued.compareAndSet(false, true)) {
      owner.execute(awake);
    }
  }

  private void awake() {
    queued.set(false);
    turn();
  }

  /** The client is gone. */
  public void cancel() {
    execute(
        () -> {
          if (!ended) {
            close(ErrorReason.ERROR_REASON_UNSPECIFIED);
          }
          charges.giveBack();
        });
  }

  /** The transport has let go of it: until then it may hold what was sent before the end. */
  public void left() {
    execute(charges::giveBack);
  }

  /**
   * Has it go on elsewhere: says so, with its position, and ends. In the middle of a group it waits
   * for the end of that, so that what was sent is not in vain.
   *
   * @param after not at once, so that a crowd leaves one after the other
   */
  public void depart(Departure departure, Duration after) {
    execute(
        () -> {
          if (!ended && after.isZero()) {
            departs(departure);
          } else if (!ended) {
            after(after, () -> departs(departure));
          }
        });
  }

  /** The same at once, also in the middle of a group. */
  public void departNow(Departure departure) {
    execute(
        () -> {
          if (!ended) {
            leave(departure);
          }
        });
  }

  /** Ends it at once, wherever it stands, and says no more than why. */
  public void expel(Refusal refusal) {
    execute(
        () -> {
          if (!ended) {
            end(refusal);
          }
        });
  }

  /**
   * Has it go on elsewhere if it has everything; else it stays.
   *
   * @param told whether it left; not called if the owner has ended
   */
  public void departIfCaughtUp(Departure departure, Consumer<Boolean> told) {
    execute(
        () -> {
          boolean leaves = !ended && Leaving.isCaughtUp(phase);
          if (leaves) {
            leave(departure);
          }
          told.accept(leaves);
        });
  }

  /** Runs something of this stream on its owner. */
  void execute(Runnable task) {
    owner.execute(() -> guarded(task));
  }

  // ---- turns

  /** One turn: sends while the transport is ready, at most {@link #TURN_BYTES}. */
  void turn() {
    if (ended) {
      return;
    }
    try {
      advance();
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  /** A failure of ours ends this stream; the owner's others go on. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  /** The same of what another did for it. */
  void failed(RuntimeException e) {
    log.error("a stream of {} failed", cache.definition().type(), e);
    if (!ended) {
      close(ErrorReason.ERROR_REASON_UNSPECIFIED);
      outlet.fail();
    }
  }

  private void advance() {
    if (phase instanceof Following following) {
      following.beginsTurn();
    }
    letGo();
    if (phase instanceof Phase.Ended over) { // tells even those who do not read
      end(over.refusal());
      return;
    }
    if (batching != null
        && !bookmarks.isDue()
        && phase instanceof Following following
        && batching.holdsBack(following)) {
      return;
    }
    long until = out.sentBytes() + TURN_BYTES;
    while (outlet.isReady()) {
      charges.ready();
      bookmarks.sendIfReached(phase, readers);
      if (restraint.holdsBack(phase, out.sentBytes())) {
        return;
      }
      long before = out.sentBytes();
      Phase next = phase.step();
      if (next == null) {
        bookmarks.sendIfDrained(phase);
        if (batching != null) {
          batching.sent();
        } else if (phase instanceof Following following && !bookmarks.isDue()) {
          following.keepsUp();
        }
        return;
      }
      long sent = out.sentBytes() - before;
      boolean searching = next.equals(phase) && sent == 0;
      enter(next);
      if (phase instanceof Phase.Ended over) {
        end(over.refusal());
        return;
      }
      leaveIfDue();
      if (ended) {
        return;
      }
      // Another one like that might be too much; a rare match costs the others no wait either.
      if (searching || out.sentBytes() + sent > until) {
        wake();
        return;
      }
    }
    charges.blocked(out.lastBytes());
    if (phase instanceof Following following) {
      following.standAside();
    }
  }

  private void turnAtTick() {
    after(
        Wheel.TICK,
        () -> {
          restraint.give();
          turn();
        });
  }

  private void enter(Phase next) {
    if (next.equals(phase)) {
      return;
    }
    Phase last = phase;
    phase = next;
    last.leave();
    charges.stepsOff();
    Readers joined = readers;
    if (joined != null && last.listens() != next.listens()) {
      if (next.listens()) {
        joined.listen(this);
      } else {
        joined.unlisten(this);
      }
    }
    letGo();
  }

  /** What the phase stands on may have become more than anybody may keep. */
  private void letGo() {
    Revision standing = phase.standing();
    if (standing != null && !charges.mayStandOn(standing)) {
      Phase last = phase;
      phase = last.letGo();
      if (!phase.equals(last)) {
        Phase next = phase;
        phase = last;
        enter(next);
      }
    }
  }

  // ---- what the phases ask for

  Group follow(Feed feed, Following stream) {
    return Objects.requireNonNull(readers, "not open").follow(feed, stream);
  }

  void unfollow(Group group, Following stream) {
    Objects.requireNonNull(readers, "not open").unfollow(group, stream);
  }

  /** The end of the stream if the cache has come to its end; null if not. */
  @Nullable Phase endOfCache() {
    UpstreamState upstream = cache.upstream();
    return upstream.phase().isEnd()
        ? new Phase.Ended(CacheEnd.refusal(cache.definition().type(), upstream))
        : null;
  }

  /** The revision that this keeps alive, null for none. */
  @Nullable Revision standing() {
    return phase.standing();
  }

  /** What is to be sent has left history: it is not kept for one who does not read. */
  boolean stepBackIfTrimmed() {
    if (ended || !(phase instanceof Following following) || !following.isTrimmed()) {
      return false;
    }
    guarded(
        () -> {
          enter(following.stalls());
          settle();
        });
    return true;
  }

  /** What it keeps alive now is accounted for, and it is ended if that is not to be. */
  private void settle() {
    charges.standsOn(phase.standing());
    letGo();
    if (phase instanceof Phase.Ended over) {
      end(over.refusal());
    }
  }

  /** Once a second: one who does not read lets go of frames, and of more if need be. */
  void round() {
    if (ended) {
      return;
    }
    guarded(
        () -> {
          if (patience.stalls(out.sentBytes(), outlet)) {
            enter(phase.stalls());
          }
          settle();
          if (!ended && patience.isOver(charges.pressure())) {
            end(StreamEnd.unread());
          }
        });
  }

  // ---- bookmarks

  private void nextBookmark() {
    timers.within(settings.bookmarkInterval(), this::bookmarkTick);
  }

  private void bookmarkTick() {
    bookmarks.fallDue();
    nextBookmark();
    leaving.lookAtAge(phase);
    leaveIfDue();
    turn();
    if (!ended && endOfCache() instanceof Phase.Ended over) {
      end(over.refusal()); // also one that does not read
    }
  }

  // ---- the end

  private void departs(Departure departure) {
    leaving.because(departure);
    leaveIfDue();
  }

  private void leaveIfDue() {
    Departure due = ended ? null : leaving.due(phase);
    if (due != null) {
      leave(due);
    }
  }

  private void leave(Departure departure) {
    out.signal(phase.position(), response -> response.setGoingAway(departure.signal()));
    end(departure.refusal());
  }

  private void checkStaleness(Duration bound) {
    long left = bound.toNanos() - cache.stalenessNanos();
    if (left < 0) {
      end(StreamEnd.tooStale(cache.definition().type()));
      return;
    }
    after(Duration.ofNanos(left).plusMillis(1), () -> checkStaleness(bound));
  }

  private void end(Refusal refusal) {
    close(refusal.reason());
    outlet.end(refusal);
  }

  private void close(ErrorReason reason) {
    ended = true;
    timers.cancel();
    phase.leave();
    charges.ended();
    Readers joined = readers;
    if (joined != null) {
      owner.leave(joined, this);
    }
    lease.close();
    type.close();
    metrics.streamEnded(cache.definition().type(), reason);
  }

  private void after(Duration delay, Runnable task) {
    timers.after(
        delay,
        () -> {
          if (!ended) {
            guarded(task);
          }
        });
  }
}
