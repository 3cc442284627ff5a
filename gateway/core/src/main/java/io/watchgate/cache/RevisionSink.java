package io.watchgate.cache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chain of revisions to which one writer appends changes. A class and not an interface, so that the
 * methods of the public {@link WatchCache} stay package-private.
 */
abstract sealed class RevisionSink permits BackfilledRevisions, UnprovenState, WatchCache {
  /** Returns the last revision, null if there is none yet. */
  abstract @Nullable Revision head();

  /** Blocks the writer while the readers of the chain lag too far behind, or the heap is full. */
  void awaitRoom() {}

  /** Appends one transition of the apiserver's own order. */
  abstract Upstream.SinkResult apply(ResourceVersion version, List<Change> changes);

  /** Records that nothing happened up to {@code version}. */
  abstract Upstream.SinkResult progress(ResourceVersion version);
}
