package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Consumer that distributes changes to many readers. History is not trimmed past its position, and
 * the writer waits if the consumer is too far behind, until {@link WatchCache#wakeWriter}.
 */
public interface RevisionConsumer {
  /**
   * Returns the revision that the consumer has reached; null if no history has to be kept for it.
   * Called on the writer's thread.
   */
  @Nullable Revision reachedRevision();
}
