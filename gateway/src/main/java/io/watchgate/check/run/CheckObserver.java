package io.watchgate.check.run;

/** Is told how a run comes along, on the thread that makes it. */
public interface CheckObserver {
  /** What is done now. */
  default void step(String what) {}

  /** How far the writes are. */
  default void progress(double elapsedSeconds, double seconds, long writes) {}

  /** Subscribers are there, and writes begin. */
  default void writesBegin() {}

  /** There are no more of them, and everybody is to come to the last. */
  default void writesEnded() throws InterruptedException {}
}
