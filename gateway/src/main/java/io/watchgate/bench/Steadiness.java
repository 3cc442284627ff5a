package io.watchgate.bench;

/** Notices that three windows in a row agree within 5 %: compilers and collectors are done. */
final class Steadiness {
  private static final int WINDOWS = 3;
  private static final double AGREEMENT = 0.05;

  private final double[] last = new double[WINDOWS];
  private int seen;

  /** Of the next window; false as long as one of the last three is not known. */
  boolean isReachedWith(double value) {
    last[seen++ % WINDOWS] = value;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double each : last) {
      if (Double.isNaN(each)) {
        return false;
      }
      least = Math.min(least, each);
      most = Math.max(most, each);
    }
    return seen >= WINDOWS && most <= least * (1 + AGREEMENT);
  }
}
