package io.watchgate.controller;

import java.time.Duration;

/**
 * What a reconciler came to.
 *
 * @param lookAgainAfter zero: not before something changes
 */
public record Result(Duration lookAgainAfter) {
  private static final Result DONE = new Result(Duration.ZERO);

  public Result {
    if (lookAgainAfter.isNegative()) {
      throw new IllegalArgumentException("look again after " + lookAgainAfter);
    }
  }

  /** Nothing is left to do. */
  public static Result done() {
    return DONE;
  }

  /** As far as it goes; there will be something to do after a while even if nothing changes. */
  public static Result lookAgainAfter(Duration delay) {
    return new Result(delay);
  }
}
