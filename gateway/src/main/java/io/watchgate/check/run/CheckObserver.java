package io.watchgate.check.run;

import io.watchgate.check.Truth;
import java.util.List;

/** Is told how a run comes along, on the thread that makes it. */
public interface CheckObserver {
  /** What is done now. */
  default void step(String what) {}

  /** How far the writes are. */
  default void progress(double elapsedSeconds, double seconds, long writes) {}

  /** These are there, and nothing in them; all that is written will be. */
  default void prepared(List<String> namespaces) {}

  /** Subscribers are there, and writes begin. */
  default void writesBegin() {}

  /** There are no more of them, and everybody is to come to the last. */
  default void writesEnded() throws InterruptedException {}

  /**
   * What really happened to the objects of a type, all of it; for whoever has heard of it by other
   * means. Apiserver and gateways are still there.
   *
   * @param type its plural
   */
  default void happened(String type, Truth truth) throws InterruptedException {}
}
