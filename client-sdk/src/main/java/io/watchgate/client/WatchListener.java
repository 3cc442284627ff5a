package io.watchgate.client;

/** Is told what happens on one {@link WatchCall}. */
@FunctionalInterface
public interface WatchListener {
  /**
   * Called for one update at a time, in order, each call happening before the next, on a thread of
   * the client's executor. May block: the next response is asked for when this returns, so a slow
   * listener slows the sender down and nothing piles up here. The position of an update counts as
   * reached when this returns; an exception ends the call with {@link WatchUpdate.Ended}.
   */
  void onUpdate(WatchUpdate update);

  /**
   * Called once, last, and in the same way: nothing more comes, since the watch has ended, or since
   * it, or its client, was closed. Must be quick.
   */
  default void onOver() {}
}
