package io.watchgate.feed;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * A place in a feed's chain, between two frames. Who stands at the last one holds nothing else: no
 * frame, no revision. Who stands further back keeps alive what is still to be sent, and that only
 * for as long as an owner lets them ({@link Owner}). A chain is referred to from its end only, so
 * that what everybody has sent is garbage without anybody looking after it.
 *
 * <p>Written once, by the router or a replay; read by owners.
 */
final class Node {
  private volatile @Nullable Step step;

  /** A place that leads nowhere but back to the cache. */
  static Node cut(Revision before) {
    Node place = new Node();
    place.lead(new Step.Cut(before));
    return place;
  }

  /** Null while nothing has followed. */
  @Nullable Step step() {
    return step;
  }

  void lead(Step next) {
    step = next;
  }
}
