package io.watchgate.bench;

/** Is told how the run goes, about once a second, on the thread that makes it. */
public interface BenchObserver {
  /** One line for a person: what is being done. */
  void step(String what);

  /**
   * While changes are written.
   *
   * @param stage {@code warming up}, {@code measuring}
   * @param elapsedSeconds of it
   * @param seconds that it lasts
   * @param deliveriesPerSecond in the last second
   */
  void progress(String stage, double elapsedSeconds, double seconds, double deliveriesPerSecond);
}
