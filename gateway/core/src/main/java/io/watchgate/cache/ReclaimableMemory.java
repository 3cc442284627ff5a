package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Memory of one type that the heap budget can reclaim: history is trimmed, and laggards release the
 * revisions that they pin behind history. Thread-safe.
 */
final class ReclaimableMemory implements HeapBudget.ReclaimableType {
  private final CacheSettings.History settings;
  private final RetainedRevisions retained;
  private final WriterBackpressure backpressure;
  private final CacheMetrics metrics;
  private volatile HeapBudget.Pins pins = HeapBudget.Pins.NONE;

  /** Revisions of lower numbers may be pinned only while history has them. */
  private volatile long firstPinnable = Long.MIN_VALUE;

  ReclaimableMemory(
      CacheSettings.History settings,
      RetainedRevisions retained,
      WriterBackpressure backpressure,
      CacheMetrics metrics) {
    this.settings = settings;
    this.retained = retained;
    this.backpressure = backpressure;
    this.metrics = metrics;
  }

  @Override
  public long historyBytes() {
    return retained.bytes();
  }

  @Override
  public void trimHistory(long bytes) {
    metrics.revisionsTrimmed(retained.trimTo(bytes, backpressure.firstKept()));
  }

  @Override
  public long pinnedBytes() {
    return pins.bytes();
  }

  @Override
  public void releasePins() {
    Revision oldest = retained.oldestReceived();
    if (oldest != null) {
      firstPinnable = oldest.number();
    }
  }

  @Override
  public long releasedPinBytes() {
    return pins.releasedPinBytes();
  }

  /** Sets the pinned revisions, whose bytes the heap budget counts. */
  void setPins(HeapBudget.Pins next) {
    pins = next;
  }

  /** Returns whether a reader may pin {@code revision}; see {@link WatchCache#canPin}. */
  boolean canPin(Revision revision, @Nullable Revision head) {
    return head == null
        || (!isReleaseRequired(revision)
            && head.supersededBytes() - revision.supersededBytes()
                <= settings.bytes() + settings.laggardBytes());
  }

  /** Returns whether a revision behind history has to be released because the heap is full. */
  boolean isReleaseRequired(Revision revision) {
    return revision.number() < firstPinnable && revision.isTrimmed();
  }
}
