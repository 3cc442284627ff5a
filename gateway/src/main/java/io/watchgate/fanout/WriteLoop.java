package io.watchgate.fanout;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Write loop of one stream. Each run sends while the transport is ready, but at most about {@link
 * #BYTES} before other streams of the event loop run. Used by one event loop.
 */
final class WriteLoop {
  private static final long BYTES = 64 << 10;

  private final SubscriptionTask stream;
  private final PhaseMachine course;
  private final ResponseSink outlet;
  private final ResponseWriter out;
  private final StreamAccounting charges;
  private final BookmarkSender bookmarks;
  private final SlowReaderThrottle restraint;

  /** Null without a batch delay. */
  private final @Nullable BatchDelay batching;

  /**
   * @param batchDelay delay after the first change of a batch; zero: changes are not batched
   */
  WriteLoop(
      SubscriptionTask stream,
      PhaseMachine course,
      ResponseSink outlet,
      ResponseWriter out,
      StreamAccounting charges,
      BookmarkSender bookmarks,
      StallDetector patience,
      Duration batchDelay) {
    this.stream = stream;
    this.course = course;
    this.outlet = outlet;
    this.out = out;
    this.charges = charges;
    this.bookmarks = bookmarks;
    this.restraint = new SlowReaderThrottle(charges, patience, this::takeAtTick);
    this.batching =
        batchDelay.isZero() ? null : new BatchDelay(batchDelay, stream::after, stream::turn);
  }

  /** Runs the loop once. */
  void take() {
    if (course.phase() instanceof LivePhase following) {
      following.beginsTurn();
    }
    course.letGo();
    if (!stream.goesOn() || waitsForCompany()) { // the end is sent even if the stream does not read
      return;
    }
    long until = out.sentBytes() + BYTES;
    while (outlet.isReady()) {
      Phase phase = course.phase();
      charges.ready();
      bookmarks.sendIfReached(phase, course.readers());
      if (restraint.holdsBack(phase, out.sentBytes())) {
        return;
      }
      long before = out.sentBytes();
      Phase next = phase.step();
      if (next == null) {
        drained(phase);
        return;
      }
      long sent = out.sentBytes() - before;
      boolean searching = next.equals(phase) && sent == 0;
      course.enter(next);
      if (!stream.goesOn()) {
        return;
      }
      // Another response of that size might exceed the limit. A scan with few matches yields too,
      // so that other streams do not wait.
      if (searching || out.sentBytes() + sent > until) {
        stream.wake();
        return;
      }
    }
    charges.blocked(out.lastBytes());
    if (course.phase() instanceof LivePhase following) {
      following.standAside();
    }
  }

  private boolean waitsForCompany() {
    return batching != null
        && !bookmarks.isDue()
        && course.phase() instanceof LivePhase following
        && batching.holdsBack(following);
  }

  /** Nothing is left to send: sends a due bookmark and ends the batch. */
  private void drained(Phase phase) {
    bookmarks.sendIfDrained(phase);
    if (batching != null) {
      batching.sent();
    } else if (phase instanceof LivePhase following && !bookmarks.isDue()) {
      following.keepsUp();
    }
  }

  private void takeAtTick() {
    stream.after(
        TimerWheel.TICK,
        () -> {
          restraint.give();
          stream.turn();
        });
  }
}
