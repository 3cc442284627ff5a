package io.watchgate.controller;

import java.time.Duration;

/**
 * Result of a reconciliation.
 *
 * @param requeueAfter delay of the next reconciliation; zero: only when something changes
 */
public record Result(Duration requeueAfter) {
  private static final Result DONE = new Result(Duration.ZERO);

  public Result {
    if (requeueAfter.isNegative()) {
      throw new IllegalArgumentException("requeueAfter must not be negative: " + requeueAfter);
    }
  }

  /** Returns a result without a requeue. */
  public static Result done() {
    return DONE;
  }

  /** Returns a result that requeues the key after a delay, even if nothing changes. */
  public static Result requeueAfter(Duration delay) {
    return new Result(delay);
  }
}
