package io.watchgate.bench;

/**
 * Notices that compilers and collectors are done: three windows in a row cost the same within 5 %,
 * and in the last of them compilers had little to do. Cost alone does not tell: where other threads
 * use all processors, a compiler gets so little of them that nothing changes for a minute.
 */
final class WarmupDetector {
  private static final int WINDOWS = 3;
  private static final double AGREEMENT = 0.05;

  /**
   * Of what each process that takes part uses. A share of a processor would not do: a server that
   * delivers for half of one is not measured if a tenth of one compiles.
   */
  private static final double COMPILING = 0.05;

  private final double[] last = new double[WINDOWS];
  private int seen;

  /**
   * Of the next window.
   *
   * @param cost anything that is proportional to it; NaN: not known, and then it is not reached
   * @param compiling of the process that compiled most, from 0 to 1
   */
  boolean isReachedWith(double cost, double compiling) {
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
    return seen >= WINDOWS && most <= least * (1 + AGREEMENT) && compiling <= COMPILING;
  }
}
