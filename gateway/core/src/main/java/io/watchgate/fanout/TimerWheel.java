package io.watchgate.fanout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timers of one event loop: a ring of buckets of 100 ms each. Ten thousand bookmarks need one task
 * of the process's timer, and setting or cancelling a timer is O(1). Idle while no timer is set.
 * Used by one event loop.
 */
final class TimerWheel {
  private static final Logger log = LoggerFactory.getLogger(TimerWheel.class);

  /** Resolution of the timers; {@code max_batch_delay} is rounded up to it. */
  static final Duration TICK = Duration.ofMillis(100);

  /** One revolution takes 204.8 s; later timers stay for further revolutions. */
  private static final int BUCKETS = 2048;

  private final Executor thread;
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoTime;
  private final Timer[] buckets = new Timer[BUCKETS];
  private final long origin;

  /** Last tick whose timers have run. */
  private long lastTick;

  private int waiting;
  private boolean isScheduled;

  /**
   * @param thread thread of the event loop
   * @param timer only submits tasks to {@code thread}
   */
  TimerWheel(Executor thread, ScheduledExecutorService timer, LongSupplier nanoTime) {
    this.thread = thread;
    this.timer = timer;
    this.nanoTime = nanoTime;
    this.origin = nanoTime.getAsLong();
    for (int i = 0; i < BUCKETS; i++) {
      buckets[i] = new Timer(); // the head of a circular list
    }
  }

  /** Queued task; or the head of a bucket. */
  final class Timer {
    private final @Nullable Runnable task;
    private final long tick;
    private Timer before = this;
    private Timer after = this;
    private boolean cancelled;

    /** Link in the list of its {@link StreamTimers}. */
    @Nullable Timer older;

    private Timer() {
      this.task = null;
      this.tick = 0;
    }

    private Timer(Runnable task, long tick, Timer bucket) {
      this.task = task;
      this.tick = tick;
      before = bucket.before;
      after = bucket;
      before.after = this;
      after.before = this;
    }

    /** Cancels the timer. Does nothing once it has run. */
    void cancel() {
      cancelled = true;
      if (after != this) {
        unlink();
      }
    }

    /** Returns whether it has run or was cancelled. */
    boolean isDone() {
      return after == this;
    }

    private void unlink() {
      before.after = after;
      after.before = before;
      before = this;
      after = this;
      waiting--;
    }
  }

  /** Runs a task after {@code delay} has passed, at most one tick later. */
  Timer after(Duration delay, Runnable task) {
    return at(ticks(nanoTime.getAsLong() + delay.toNanos() + TICK.toNanos() - 1), task);
  }

  /**
   * Runs a task before {@code delay} has passed, at most one tick earlier; at the earliest in the
   * next tick.
   */
  Timer within(Duration delay, Runnable task) {
    return at(ticks(nanoTime.getAsLong() + delay.toNanos()), task);
  }

  private Timer at(long tick, Runnable task) {
    if (waiting == 0) {
      lastTick = now();
    }
    long due = Math.max(tick, lastTick + 1);
    waiting++;
    Timer set = new Timer(task, due, buckets[(int) (due % BUCKETS)]);
    scheduleTick();
    return set;
  }

  /** Returns the current tick. */
  long now() {
    return ticks(nanoTime.getAsLong());
  }

  private long ticks(long nanos) {
    return (nanos - origin) / TICK.toNanos();
  }

  private void scheduleTick() {
    if (!isScheduled && waiting > 0) {
      isScheduled = true;
      long next = origin + (now() + 1) * TICK.toNanos() - nanoTime.getAsLong();
      var _ = timer.schedule(() -> thread.execute(this::tick), next, TimeUnit.NANOSECONDS);
    }
  }

  private void tick() {
    isScheduled = false;
    long now = now();
    long from = lastTick + 1;
    lastTick = now;
    long passed = Math.min(now - from + 1, BUCKETS);
    List<Timer> due = new ArrayList<>();
    for (long tick = now - passed + 1; tick <= now; tick++) {
      collect(tick, now, due);
    }
    for (Timer timer : due) { // copied: a task may set and cancel timers
      Runnable task = timer.task;
      if (!timer.cancelled && task != null) {
        runGuarded(task);
      }
    }
    scheduleTick();
  }

  /** Runs a task. Its failure must not affect the other timers that are due. */
  private static void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.error("timer task failed", e);
    }
  }

  private void collect(long bucket, long now, List<Timer> due) {
    Timer head = buckets[(int) (bucket % BUCKETS)];
    for (Timer timer = head.after; timer != head; ) {
      Timer next = timer.after;
      if (timer.tick <= now) {
        timer.unlink();
        due.add(timer);
      }
      timer = next;
    }
  }

  /** Returns the number of queued tasks. */
  int waiting() {
    return waiting;
  }
}
