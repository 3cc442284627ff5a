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
  private final PhaseMachine phases;
  private final ResponseSink sink;
  private final ResponseWriter out;
  private final StreamAccounting accounting;
  private final BookmarkSender bookmarks;
  private final SlowReaderThrottle throttle;

  /** Null without a batch delay. */
  private final @Nullable BatchDelay batchDelayer;

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
    this.phases = course;
    this.sink = outlet;
    this.out = out;
    this.accounting = charges;
    this.bookmarks = bookmarks;
    this.throttle = new SlowReaderThrottle(charges, patience, this::runAtTick);
    this.batchDelayer =
        batchDelay.isZero() ? null : new BatchDelay(batchDelay, stream::after, stream::run);
  }

  /** Runs the loop once. */
  void run() {
    if (phases.phase() instanceof LivePhase following) {
      following.beginRun();
    }
    phases.enforcePin();
    if (!stream.isOpen() || isBatching()) { // the end is sent even if the stream does not read
      return;
    }
    long until = out.sentBytes() + BYTES;
    while (sink.isReady()) {
      Phase phase = phases.phase();
      accounting.markReady();
      bookmarks.sendIfReached(phase, phases.subscribers());
      if (throttle.shouldWait(phase, out.sentBytes())) {
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
      if (!stream.isOpen()) {
        return;
      }
      // Another response of that size might exceed the limit. A scan with few matches yields too,
      // so that other streams do not wait.
      if (searching || out.sentBytes() + sent > until) {
        stream.wake();
        return;
      }
    }
    accounting.markBlocked(out.lastBytes());
    if (phases.phase() instanceof LivePhase following) {
      following.block();
    }
  }

  private boolean isBatching() {
    return batchDelayer != null
        && !bookmarks.isDue()
        && phases.phase() instanceof LivePhase following
        && batchDelayer.shouldWait(following);
  }

  /** Nothing is left to send: sends a due bookmark and ends the batch. */
  private void onDrained(Phase phase) {
    bookmarks.sendIfDrained(phase);
    if (batchDelayer != null) {
      batchDelayer.sent();
    } else if (phase instanceof LivePhase following && !bookmarks.isDue()) {
      following.markCaughtUp();
    }
  }

  private void runAtTick() {
    stream.after(
        TimerWheel.TICK,
        () -> {
          throttle.allowOne();
          stream.run();
        });
  }
}
