package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Who leads changes on to many readers. History keeps what it has yet to lead, and the writer waits
 * for it where that becomes much.
 */
public interface HistoryConsumer {
  /**
   * The revision that it has come to; null where nothing need be kept for it. Called on the
   * writer's thread.
   */
  @Nullable Revision at();
}
