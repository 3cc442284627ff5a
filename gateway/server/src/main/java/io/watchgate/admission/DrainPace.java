package io.watchgate.admission;

import java.time.Duration;

/**
 * Pace at which the streams of a gateway that shuts down are asked to reconnect, one by one.
 *
 * @param delay time before the first stream is asked, in which all replicas that shut down together
 *     begin to refuse streams
 * @param maxSpread maximum time between the first and the last stream that is asked; the rest of
 *     the drain time is for closing streams that have not ended
 */
public record DrainPace(Duration delay, Duration maxSpread) {
  /**
   * Time between two streams that leave. 500 streams a second are a small load for the replicas
   * that they move to.
   */
  public static final Duration INTERVAL = Duration.ofMillis(2);

  /**
   * Delay before the first stream is asked to reconnect, at most a tenth of the time for draining.
   * After it, all replicas that are shut down together refuse new streams.
   */
  static final Duration DELAY = Duration.ofSeconds(1);

  /** Returns the pace for streams that may take {@code atMost} to end. */
  public static DrainPace of(Duration atMost) {
    Duration delay = shorter(atMost.dividedBy(10), DELAY);
    return new DrainPace(delay, maxSpread(atMost.minus(delay)));
  }

  /** Returns the pace when no stream is open, without the delay. */
  public static DrainPace withoutDelay(Duration atMost) {
    return new DrainPace(Duration.ZERO, maxSpread(atMost));
  }

  /** The last fifth is for streams that are closed. */
  private static Duration maxSpread(Duration left) {
    return left.multipliedBy(4).dividedBy(5);
  }

  /** Returns the time between the first and the last of some streams. */
  public Duration spread(int streams) {
    return shorter(maxSpread, INTERVAL.multipliedBy(streams));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
