package io.watchgate.bench;

/** Nanoseconds since the run began; never 0 or below, so that marks have 15 digits for it. */
final class RunClock {
  private final long origin = System.nanoTime() - 1;

  long nanos() {
    return System.nanoTime() - origin;
  }
}
