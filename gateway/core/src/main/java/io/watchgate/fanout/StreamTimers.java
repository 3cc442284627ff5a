package io.watchgate.fanout;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Timers of one stream: bookmark interval, batch delay, timeouts before its start, and its maximum
 * age ({@link FanoutSettings}). All are cancelled together. Used by one event loop.
 */
final class StreamTimers {
  private final SubscribedStream stream;
  private final TimerWheel wheel;
  private final TimeSource time;
  private final Duration batchDelay;

  /** Newest of the timers that are set, linked by {@link TimerWheel.Timer#older}. */
  private TimerWheel.@Nullable Timer pending;

  /** Time at which the stream reaches its maximum age; 0: never. */
  private final long expiresAt;

  private Batch batch = Batch.EMPTY;

  private enum Batch {
    EMPTY,
    COLLECTING,
    DUE
  }

  /**
   * @param batchDelay delay after the first change of a batch; zero: changes are not batched
   * @param streamAge maximum age, randomised by up to a fifth in both directions; zero: unlimited
   */
  StreamTimers(
      SubscribedStream stream,
      TimerWheel wheel,
      TimeSource time,
      Duration batchDelay,
      Duration streamAge) {
    this.stream = stream;
    this.wheel = wheel;
    this.time = time;
    this.batchDelay = batchDelay;
    long age = streamAge.toNanos();
    this.expiresAt =
        age == 0
            ? 0
            : time.nanoTime() + ThreadLocalRandom.current().nextLong(age - age / 5, age + age / 5);
  }

  TimeSource time() {
    return time;
  }

  /** Runs a task of the stream after the delay, not before. */
  void after(Duration delay, Runnable task) {
    add(wheel.after(delay, () -> stream.runIfOpen(task)));
  }

  /** Runs a task of the stream before the delay has passed, not after. */
  void within(Duration delay, Runnable task) {
    add(wheel.within(delay, () -> stream.runIfOpen(task)));
  }

  /** Adds a timer, and drops those that have run. */
  private void add(TimerWheel.Timer timer) {
    TimerWheel.Timer kept = timer;
    for (TimerWheel.Timer each = pending; each != null; each = each.older) {
      if (!each.isDone()) {
        kept.older = each;
        kept = each;
      }
    }
    kept.older = null;
    pending = timer;
  }

  void cancel() {
    for (TimerWheel.Timer each = pending; each != null; each = each.older) {
      each.cancel();
    }
    pending = null;
  }

  // ---- batches of changes

  /** Returns whether changes are delayed, at most until {@code max_batch_delay} after the first. */
  boolean hasBatchDelay() {
    return !batchDelay.isZero();
  }

  /**
   * Returns whether nothing is to be sent yet, because changes are being collected; the stream runs
   * when they are due. The first unsent change starts the delay.
   */
  boolean isCollecting(LivePhase live) {
    if (batch == Batch.EMPTY && live.hasUnsentEntries()) {
      batch = Batch.COLLECTING;
      after(
          batchDelay,
          () -> {
            batch = Batch.DUE;
            stream.runOnce();
          });
    }
    return batch == Batch.COLLECTING;
  }

  /** Ends the batch: all pending changes were sent. */
  void endBatch() {
    batch = Batch.EMPTY;
  }

  // ---- age

  /** Returns whether the stream has reached its maximum age. */
  boolean isAgeReached() {
    return expiresAt != 0 && time.nanoTime() - expiresAt > 0;
  }

  // ---- timeouts

  Timeout timeout(Duration duration) {
    return new Timeout(duration);
  }

  /** Timeout that starts when it is first queried. The stream runs when it has passed. */
  final class Timeout {
    private final Duration duration;
    private boolean begun;
    private boolean over;

    private Timeout(Duration duration) {
      this.duration = duration;
    }

    boolean isOver() {
      if (!begun) {
        begun = true;
        after(
            duration,
            () -> {
              over = true;
              stream.runOnce();
            });
      }
      return over;
    }
  }
}
