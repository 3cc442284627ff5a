package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A place in a feed's chain, between two frames. Who stands at the last one holds nothing else: no
 * frame, no revision. Who stands further back keeps alive what is still to be sent, and that only
 * for as long as an owner lets them ({@link StreamLoop}). A chain is referred to from its end only,
 * so that what everybody has sent is garbage.
 *
 * <p>That alone would not do: a place that outlives a few young collections is moved to the old
 * generation, where it stays, dead, until that is looked through; and all that it leads to stays
 * with it, which is the whole chain from there on. So a place that nobody can come to any more
 * forgets where it led to. It is counted who can: {@link LoopFollowers} for its followers together,
 * whoever has been given a place and has not begun ({@link JoinPoint}), the chain for its end, and
 * the place before. (Without it {@code watchgate compare different} took up to 2.4 GB and spent a
 * sixth of its CPU on copying frames that had long been sent.)
 *
 * <p>Led on by one thread, the router or a replay; read by owners; held and released by all.
 */
final class FrameNode {
  private static final AtomicReferenceFieldUpdater<FrameNode, @Nullable LogEntry> STEP =
      AtomicReferenceFieldUpdater.newUpdater(FrameNode.class, LogEntry.class, "step");

  private static final AtomicIntegerFieldUpdater<FrameNode> HOLDS =
      AtomicIntegerFieldUpdater.newUpdater(FrameNode.class, "holds");

  private volatile @Nullable LogEntry step;

  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int holds;

  /**
   * @param holds of those who can come here from the beginning
   */
  FrameNode(int holds) {
    this.holds = holds;
  }

  /** A place that leads nowhere but back to the cache. */
  static FrameNode cut(Revision before) {
    FrameNode place = new FrameNode(1);
    place.lead(new LogEntry.Gap(before, new FrameNode(1)));
    return place;
  }

  /** Null while nothing has followed. */
  @Nullable LogEntry step() {
    return step;
  }

  /** Whoever is to see it is called afterwards, which is what makes it visible: no fence here. */
  void lead(LogEntry next) {
    STEP.lazySet(this, next);
  }

  /** One more can come here. Only by one who can come here anyway, or on the chain's own thread. */
  void hold() {
    HOLDS.incrementAndGet(this);
  }

  /** One less. What nobody can come to is let go of, here and further on. */
  void release() {
    FrameNode place = this;
    while (place != null && HOLDS.decrementAndGet(place) == 0) {
      LogEntry last = place.step;
      place.step = LogEntry.Released.GONE;
      place = last == null ? null : last.holds();
    }
  }
}
