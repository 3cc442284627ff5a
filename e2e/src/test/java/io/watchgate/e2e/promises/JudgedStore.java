package io.watchgate.e2e.promises;

import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import java.time.Duration;
import java.util.List;

/** Store whose states are judged by the truth, like the messages of a stream. */
interface JudgedStore extends AutoCloseable {
  InformerSelection interest();

  boolean isSynced();

  /** Returns the number of observed states. */
  int looks();

  /** Changes what a run changes once per second. */
  default void turn() {}

  /**
   * Waits until the store has received the last change.
   *
   * @return the sessions to judge
   */
  List<Session> settled(Truth truth, Duration limit) throws InterruptedException;

  /** Returns the contradictions, in a sentence each. */
  List<String> wrong();

  @Override
  void close();
}
