package io.watchgate.check.run;

/** Is told how a run comes along, on the thread that makes it. */
public interface CheckObserver {
  /** What is done now. */
  void step(String what);

  /** How far the writes are. */
  void progress(double elapsedSeconds, double seconds, long writes);
}
