package io.watchgate.bench;

import io.watchgate.kube.KubeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a run's changes. It has up to 8 threads, so that a slow response does not delay all
 * other writes. All writes of an object are made by the same thread, one after the other, so that
 * readers can check their order. It writes until it is stopped, or until a write has failed three
 * times.
 */
final class Writer {
  static final String THREADS = "bench-write-";

  private static final int LANES = 8;
  private static final int TRIES = 3;
  private static final long CHECK_NANOS = 100_000_000;

  private final TestObjects objects;
  private final RunClock clock;
  private final BenchPlan.Pace pace;
  private final @Nullable InFlightLimit inFlightLimit;
  private final AtomicIntegerArray rounds;
  private final AtomicLong written = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;
  private volatile @Nullable KubeException failure;

  /**
   * @param inFlightLimit limit for writes without a fixed rate, otherwise null
   */
  Writer(
      TestObjects objects,
      RunClock clock,
      BenchPlan.Pace pace,
      @Nullable InFlightLimit inFlightLimit) {
    this.objects = objects;
    this.clock = clock;
    this.pace = pace;
    this.inFlightLimit = inFlightLimit;
    this.rounds = new AtomicIntegerArray(objects.plan().count());
  }

  void start() {
    int count = objects.plan().count();
    BenchPlan.Pace.Paced paced =
        pace instanceof BenchPlan.Pace.Paced given
            ? given
            : new BenchPlan.Pace.Paced(Double.MAX_VALUE);
    Schedule schedule = new Schedule(count, Math.min(LANES, count), clock.nanos(), paced);
    for (int i = 0; i < schedule.lanes(); i++) {
      int lane = i;
      threads.add(
          Thread.ofPlatform().daemon().name(THREADS + lane).start(() -> write(schedule, lane)));
    }
  }

  private void write(Schedule schedule, int lane) {
    try {
      for (long step = 0; ; step++) {
        long number = schedule.number(lane, step);
        long intended = awaitSchedule(schedule, number);
        if (stopped) {
          return;
        }
        write(number, intended);
        rounds.set((int) (number % schedule.objects()), (int) (number / schedule.objects()));
        written.incrementAndGet();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (KubeException e) {
      failure = e;
      stopped = true;
    }
  }

  /** Waits for the scheduled time of a write and returns it. Once stopped, returns any time. */
  private long awaitSchedule(Schedule schedule, long number) throws InterruptedException {
    return switch (pace) {
      case BenchPlan.Pace.Paced _ -> {
        long intended = schedule.scheduledNanos(number);
        long left = intended - clock.nanos();
        while (left > 0 && !stopped) {
          LockSupport.parkNanos(Math.min(left, CHECK_NANOS));
          left = intended - clock.nanos();
        }
        yield intended;
      }
      case BenchPlan.Pace.Unpaced _ -> {
        while (!stopped
            && inFlightLimit != null
            && !inFlightLimit.tryAcquire(number, CHECK_NANOS)) {}
        yield clock.nanos();
      }
    };
  }

  /**
   * Makes a write, in up to three attempts. Repeating a write that was already made changes
   * nothing.
   */
  private void write(long number, long intended) throws KubeException {
    for (int tried = 1; ; tried++) {
      try {
        objects.write(number, intended);
        return;
      } catch (KubeException e) {
        if (tried == TRIES) {
          throw e;
        }
      }
    }
  }

  /** Returns the number of writes that were answered. */
  long written() {
    return written.get();
  }

  /** Returns how often an object was changed. */
  int lastRound(int object) {
    return rounds.get(object);
  }

  @Nullable KubeException failure() {
    return failure;
  }

  /** Stops writing, and waits for writes in flight. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
      thread.join();
    }
  }
}
