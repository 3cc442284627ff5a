package io.watchgate.check.run;

import io.watchgate.check.Truth;
import java.util.List;

/** Listener for the progress of a run, called on the thread that executes it. */
public interface CheckObserver {
  /** Reports the step that begins. */
  default void step(String what) {}

  /** Reports the progress of the writes. */
  default void progress(double elapsedSeconds, double seconds, long writes) {}

  /** Reports that the namespaces exist and are empty. All objects will be written to them. */
  default void prepared(List<String> namespaces) {}

  /** Reports that the subscribers are started, and that writes begin. */
  default void writesBegin() {}

  /** Reports that the writes have ended, and that all subscribers must now reach the last one. */
  default void writesEnded() throws InterruptedException {}

  /**
   * Reports all actual changes to the objects of a type, for comparison with other observations.
   * Apiserver and gateways are still running.
   *
   * @param type plural of the type
   */
  default void truthRecorded(String type, Truth truth) throws InterruptedException {}
}
