package io.watchgate.bench;

/**
 * Clock of a run, in nanoseconds since its beginning. Always positive, so that write stamps have 15
 * digits for it.
 */
final class RunClock {
  private final long origin = System.nanoTime() - 1;

  long nanos() {
    return System.nanoTime() - origin;
  }
}
