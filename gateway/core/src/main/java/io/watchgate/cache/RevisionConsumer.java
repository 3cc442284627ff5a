package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Consumer that distributes changes to many readers. No revision after the consumer's position is
 * trimmed, and the writer waits if the consumer is too far behind, until {@link
 * WatchCache#wakeWriter}.
 */
public interface RevisionConsumer {
  /**
   * Returns the revision that the consumer has reached; null if no revision has to be kept for it.
   * Called on the writer's thread.
   */
  @Nullable Revision reachedRevision();
}
