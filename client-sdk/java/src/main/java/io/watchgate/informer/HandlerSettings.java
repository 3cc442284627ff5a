package io.watchgate.informer;

import java.time.Duration;

/**
 * Delivery settings of a handler.
 *
 * @param capacity limit of queued changes with {@link OverflowPolicy#BLOCK}, at least 1
 * @param resyncPeriod interval of resyncs, in which the handler receives all objects again, as
 *     updates with the same state twice; zero: never. A resync causes no request to the gateway and
 *     is not needed for correctness of the store: it lets a program repeat work that it missed
 */
public record HandlerSettings(OverflowPolicy overflowPolicy, int capacity, Duration resyncPeriod) {
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** All changes, with a queue of 1,000 changes and without resyncs. */
  public static final HandlerSettings DEFAULT =
      new HandlerSettings(OverflowPolicy.BLOCK, 1_000, Duration.ZERO);

  public HandlerSettings {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity " + capacity + " is less than 1");
    }
    if (!resyncPeriod.isZero() && resyncPeriod.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException("resyncPeriod " + resyncPeriod + " is less than 1 s");
    }
  }

  /** Returns settings that deliver only the newest state of each object. */
  public HandlerSettings conflating() {
    return new HandlerSettings(OverflowPolicy.CONFLATE, capacity, resyncPeriod);
  }

  /** Returns settings that deliver all changes, with a queue of the given number of changes. */
  public HandlerSettings withCapacity(int changes) {
    return new HandlerSettings(OverflowPolicy.BLOCK, changes, resyncPeriod);
  }

  /** Returns settings with a resync at the given interval, at least 1 s. */
  public HandlerSettings resyncingEvery(Duration interval) {
    return new HandlerSettings(overflowPolicy, capacity, interval);
  }
}
