package io.watchgate.informer;

/** Policy for changes that a slow handler has not processed yet. */
public enum OverflowPolicy {
  /**
   * Deliver every change. If the queue is full, the informer reads only as fast as the handler
   * processes changes; the store and all other handlers wait as well.
   */
  BLOCK,
  /**
   * Deliver the newest state of each object: at most one change of each object is queued, and a
   * slow handler delays nothing else. A deletion and a new object of the same name are delivered as
   * two calls.
   */
  CONFLATE
}
