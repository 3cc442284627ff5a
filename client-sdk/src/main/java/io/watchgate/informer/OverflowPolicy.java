package io.watchgate.informer;

/** What becomes of what a handler was not told yet while more happens. */
public enum OverflowPolicy {
  /**
   * It is told of everything: beyond the bound the informer reads on only as fast as it, and with
   * it the store and all other handlers wait.
   */
  BLOCK,
  /**
   * It is told of the newest state of each object: at most one thing for each waits, and nobody
   * waits for it. A delete and a creation of the same name are told as two.
   */
  CONFLATE
}
