package io.watchgate.fanout;

/**
 * Entry point of a stream into the frame log of a feed, with a reference to a node of that log.
 *
 * @param node node at which the stream starts reading: in the feed's log, or in the log of a replay
 *     that ends with a splice to the feed's log
 * @param retainedNode node of the feed's log that is referenced until {@link #release}; it is at or
 *     before the node where the stream enters that log
 */
record JoinPoint(FrameNode node, FrameNode retainedNode) {

  /** Releases the reference. The receiver calls it exactly once. */
  void release() {
    retainedNode.release();
  }
}
