package io.watchgate.client;

/** Listener for the updates of one {@link WatchCall}. */
@FunctionalInterface
public interface WatchListener {
  /**
   * Processes one update. Updates are delivered in order, one at a time, each call happening before
   * the next, on a thread of the client's executor. The method may block: the next response is
   * requested when it returns, so a slow listener slows the sender down and nothing accumulates
   * here. The position of an update counts as reached when the method returns; an exception ends
   * the call with {@link WatchUpdate.Ended}.
   */
  void onUpdate(WatchUpdate update);

  /**
   * Called once, after the last update, under the same rules. No update follows, because the watch
   * has ended or was closed, or its client was closed. Must be quick.
   */
  default void onClosed() {}
}
