package io.watchgate.e2e.promises;

import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import java.time.Duration;
import java.util.List;

/** Store whose states are judged by the truth, like the messages of a stream. */
interface JudgedStore extends AutoCloseable {
  /** Returns the language of the SDK. */
  String language();

  InformerSelection interest();

  boolean isSynced();

  /** Returns the number of observed states. */
  int stateCount();

  /** Replaces a handler of the store, if it has handlers. */
  default void replaceHandler() {}

  /**
   * Checks that the changes that a reader has got gave a state of the store within the last time
   * that is as long as the limit, if the store has readers. Does not wait.
   */
  default void compareChanges(Duration limit) {}

  /**
   * Waits until the store has received the last change.
   *
   * @return the sessions to judge; the first is that of the states
   */
  List<Session> settled(Truth truth, Duration limit) throws InterruptedException;

  /** Returns the contradictions, in a sentence each. */
  List<String> wrong();

  @Override
  void close();
}
