package io.watchgate.bench;

import java.time.Duration;

/**
 * Notices that compilers and collectors are done: three windows in a row cost the same within 5 %,
 * and in the last of them compilers had little to do. Cost alone does not tell: where other threads
 * use all processors, a compiler gets so little of them that nothing changes for a minute.
 */
final class Steadiness {
  private static final int WINDOWS = 3;
  private static final double AGREEMENT = 0.05;

  /** Of one processor, in each process that takes part. */
  private static final double COMPILING = 0.1;

  private final Duration window;
  private final double[] last = new double[WINDOWS];
  private int seen;

  /**
   * @param window how long each is
   */
  Steadiness(Duration window) {
    this.window = window;
  }

  /**
   * Of the next window.
   *
   * @param cost anything that is proportional to it; NaN: not known, and then it is not reached
   * @param compilerSeconds of the process that compiled most
   */
  boolean isReachedWith(double cost, double compilerSeconds) {
    last[seen++ % WINDOWS] = cost;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double each : last) {
      if (Double.isNaN(each)) {
        return false;
      }
      least = Math.min(least, each);
      most = Math.max(most, each);
    }
    return seen >= WINDOWS
        && most <= least * (1 + AGREEMENT)
        && compilerSeconds <= window.toNanos() / 1e9 * COMPILING;
  }
}
