package io.watchgate.controller;

import java.time.Duration;

/**
 * What a reconciler came to.
 *
 * @param lookAgainAfter zero: not before something changes
 */
public record Outcome(Duration lookAgainAfter) {
  private static final Outcome DONE = new Outcome(Duration.ZERO);

  public Outcome {
    if (lookAgainAfter.isNegative()) {
      throw new IllegalArgumentException("look again after " + lookAgainAfter);
    }
  }

  /** Nothing is left to do. */
  public static Outcome done() {
    return DONE;
  }

  /** As far as it goes; there will be something to do after a while even if nothing changes. */
  public static Outcome lookAgainAfter(Duration delay) {
    return new Outcome(delay);
  }
}
