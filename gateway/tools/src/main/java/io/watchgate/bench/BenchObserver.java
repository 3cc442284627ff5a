package io.watchgate.bench;

/**
 * Listener for the progress of a run, called about once a second on the thread that executes it.
 */
public interface BenchObserver {
  /** Reports the stage that begins, in one line of text. */
  void step(String what);

  /**
   * Reports progress while changes are written.
   *
   * @param stage name of the stage, such as {@code measuring}
   * @param elapsedSeconds seconds since the stage began
   * @param seconds planned duration of the stage
   * @param deliveriesPerSecond rate during the last second
   */
  void progress(String stage, double elapsedSeconds, double seconds, double deliveriesPerSecond);
}
