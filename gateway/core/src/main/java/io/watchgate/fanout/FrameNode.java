package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Node of a frame log, between two entries. A stream at the last node keeps nothing else alive: no
 * frame and no revision. A stream at an earlier node keeps the unsent frames alive, until its event
 * loop moves it off the log ({@link StreamLoop}). The log references its last node only, so frames
 * that all streams have sent are garbage.
 *
 * <p>Garbage collection alone is not enough. A node that survives some young collections is
 * promoted to the old generation. There it stays until the next old-generation collection, even if
 * it is unreachable, and keeps all later frames alive. So nodes are reference counted, and a node
 * without references is unlinked: it drops its entry. There are four holders of references: {@link
 * FrameFloor}, one for all followers without a reference of their own; a {@link JoinPoint} of a
 * stream that starts or lags; the log, for its last node; the entry before. The package describes
 * the counting.
 *
 * <p>Appended to by one thread, the router or a replay; read by event loops; referenced and
 * released by all threads.
 */
final class FrameNode {
  private static final AtomicReferenceFieldUpdater<FrameNode, @Nullable LogEntry> ENTRY =
      AtomicReferenceFieldUpdater.newUpdater(FrameNode.class, LogEntry.class, "entry");

  private static final AtomicIntegerFieldUpdater<FrameNode> HOLDS =
      AtomicIntegerFieldUpdater.newUpdater(FrameNode.class, "holds");

  private volatile @Nullable LogEntry entry;

  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int holds;

  /**
   * @param holds initial number of references
   */
  FrameNode(int holds) {
    this.holds = holds;
  }

  /** Returns a node whose only entry is a gap: the stream must read from the cache. */
  static FrameNode gap(Revision before) {
    FrameNode node = new FrameNode(1);
    node.setNext(new LogEntry.Gap(before, new FrameNode(1)));
    return node;
  }

  /** Returns the next entry; null if there is none yet. */
  @Nullable LogEntry next() {
    return entry;
  }

  /**
   * Sets the next entry. Readers are notified afterwards, which makes it visible; no fence is
   * needed.
   */
  void setNext(LogEntry next) {
    ENTRY.lazySet(this, next);
  }

  /** Adds a reference. Callers must hold a reference already, or run on the thread of the log. */
  void retain() {
    HOLDS.incrementAndGet(this);
  }

  /**
   * Drops a reference. Unlinks this node if it was the last, and then the nodes that only it
   * referenced.
   */
  void release() {
    FrameNode node = this;
    while (node != null && HOLDS.decrementAndGet(node) == 0) {
      LogEntry last = node.entry;
      node.entry = LogEntry.Released.GONE;
      node = last == null ? null : last.retainedNode();
    }
  }
}
