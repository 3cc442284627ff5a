package io.watchgate.feed;

import io.watchgate.cache.ResourceType;

/**
 * Sums up what the streams of one type send on one owner, so that metrics cost once a task and not
 * once a delivery. Used by one owner.
 */
final class Traffic {
  private final ResourceType type;
  private final FeedMetrics metrics;
  private int events;
  private long bytes;

  Traffic(ResourceType type, FeedMetrics metrics) {
    this.type = type;
    this.metrics = metrics;
  }

  void sent(int moreEvents, int moreBytes) {
    events += moreEvents;
    bytes += moreBytes;
  }

  /** Hands the sums over. */
  void flush() {
    if (bytes > 0) {
      metrics.sent(type, events, bytes);
      events = 0;
      bytes = 0;
    }
  }
}
