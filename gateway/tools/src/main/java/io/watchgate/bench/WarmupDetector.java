package io.watchgate.bench;

/**
 * Detector for the end of the warm-up, when JIT compilers and garbage collectors have settled. The
 * warm-up ends when three consecutive windows cost the same within 5 %, and compilers had little
 * work in the last of them. Cost alone is not sufficient: if other threads use all processors, a
 * compiler gets little CPU time, and the cost does not change for a minute.
 */
final class WarmupDetector {
  private static final int WINDOWS = 3;
  private static final double TOLERANCE = 0.05;

  /**
   * Largest accepted share of JIT compilation in the CPU time of each process. A share of a
   * processor would be wrong: if a server uses half a processor for deliveries, compilers with a
   * tenth of a processor still distort the measurement.
   */
  private static final double MAX_COMPILER_SHARE = 0.05;

  private final double[] lastCosts = new double[WINDOWS];
  private int seen;

  /**
   * Adds a window, and returns whether the warm-up has ended.
   *
   * @param cost any value proportional to the cost of the window; NaN if unknown, then the result
   *     is false
   * @param compiling share of JIT compilation in the process where it is largest, from 0 to 1
   */
  boolean addWindow(double cost, double compiling) {
    lastCosts[seen++ % WINDOWS] = cost;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double each : lastCosts) {
      if (Double.isNaN(each)) {
        return false;
      }
      least = Math.min(least, each);
      most = Math.max(most, each);
    }
    return seen >= WINDOWS && most <= least * (1 + TOLERANCE) && compiling <= MAX_COMPILER_SHARE;
  }
}
