package io.watchgate.grpc;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.GoingAwayNotice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Sender of GOING_AWAY to streams that are to move to other replicas: one after the other, the
 * oldest first. Streams that lag, or are in the middle of a snapshot, stay. Thread-safe.
 */
final class StreamShedder {
  private final Collection<? extends MovableStream> open;
  private final TimeSource time;
  private final BooleanSupplier isDraining;
  private final Duration interval;

  /** Open stream whose client can resume on another replica. */
  interface MovableStream {
    /** Returns the time of its arrival, by {@code nanoTime}. */
    long startNanos();

    /**
     * Sends GOING_AWAY to the client if the stream is up to date, and returns whether it was. May
     * block.
     */
    boolean goAwayIfKeepingUp(GoingAwayNotice notice) throws InterruptedException;
  }

  /**
   * @param open open streams; may change at any time
   * @param isDraining returns whether all streams leave anyway
   * @param interval time between two streams
   */
  StreamShedder(
      Collection<? extends MovableStream> open,
      TimeSource time,
      BooleanSupplier isDraining,
      Duration interval) {
    this.open = open;
    this.time = time;
    this.isDraining = isDraining;
    this.interval = interval;
  }

  /**
   * Sends GOING_AWAY to up to {@code count} streams. Blocks this thread, which sleeps between two
   * streams.
   *
   * @param age least age of these streams
   * @param within time after which the remaining streams stay
   * @return number of streams that were moved
   */
  int shed(int count, Duration age, Duration within) throws InterruptedException {
    long now = time.nanoTime();
    long until = now + within.toNanos();
    GoingAwayNotice notice = GoingAwayNotice.rebalancing();
    int moved = 0;
    for (MovableStream stream : oldestFirst(now, age)) {
      if (moved == count || isDraining.getAsBoolean() || time.nanoTime() - until > 0) {
        break;
      }
      if (stream.goAwayIfKeepingUp(notice)) {
        moved++;
        Thread.sleep(interval);
      }
    }
    return moved;
  }

  private List<MovableStream> oldestFirst(long now, Duration age) {
    List<MovableStream> oldest = new ArrayList<>(open);
    oldest.removeIf(stream -> now - stream.startNanos() < age.toNanos());
    // Compared by their difference to now, since nanoTime may be negative and overflow.
    oldest.sort(Comparator.comparingLong(stream -> stream.startNanos() - now));
    return oldest;
  }
}
