package io.watchgate.fanout;

/**
 * Where one is let into a feed.
 *
 * @param place where one stands: in the feed's chain, or in one of a replay that leads there
 * @param held in the feed's chain, at or before whatever {@code place} leads to there; it is kept
 *     for one until {@link #release}
 */
record JoinPoint(FrameNode place, FrameNode held) {

  /** Once, by whoever was given it. */
  void release() {
    held.release();
  }
}
