package io.watchgate.informer;

import java.time.Duration;

/**
 * How a handler is told.
 *
 * @param capacity of {@link OverflowPolicy#BLOCK}: how many changes may wait, at least 1
 * @param showAllEvery after how long all objects are shown to it again, as updates from a state to
 *     itself; zero: never. This asks nothing of the gateway, which needs no such thing: it is for
 *     what a program neglected
 */
public record HandlerSettings(OverflowPolicy backlog, int capacity, Duration showAllEvery) {
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Everything, with room for 1,000 changes, and nothing twice. */
  public static final HandlerSettings DEFAULT =
      new HandlerSettings(OverflowPolicy.BLOCK, 1_000, Duration.ZERO);

  public HandlerSettings {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity " + capacity + " is less than 1");
    }
    if (!showAllEvery.isZero() && showAllEvery.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException("showAllEvery " + showAllEvery + " is less than 1 s");
    }
  }

  /** The newest state of each object. */
  public HandlerSettings conflating() {
    return new HandlerSettings(OverflowPolicy.CONFLATE, capacity, showAllEvery);
  }

  /** Everything, with room for so many changes. */
  public HandlerSettings blockingBeyond(int changes) {
    return new HandlerSettings(OverflowPolicy.BLOCK, changes, showAllEvery);
  }

  /** All objects again and again, at least a second apart; what is known elsewhere as a resync. */
  public HandlerSettings showingAllEvery(Duration interval) {
    return new HandlerSettings(backlog, capacity, interval);
  }
}
