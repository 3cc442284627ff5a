package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;

/**
 * Sums up what the streams of one type send on one owner, so that metrics cost once a task and not
 * once a delivery. Used by one owner.
 */
final class SendCounters {
  private final ApiResource type;
  private final TimeSource time;
  private final FanoutMetrics metrics;

  /** When the newest change came whose way was measured; at first, when this was made. */
  private long measured;

  private int events;
  private long bytes;

  SendCounters(ApiResource type, TimeSource time, FanoutMetrics metrics) {
    this.type = type;
    this.time = time;
    this.metrics = metrics;
    this.measured = time.nanoTime() - 1;
  }

  void sent(int moreEvents, int moreBytes) {
    events += moreEvents;
    bytes += moreBytes;
  }

  /**
   * A change was sent that came then. Of all streams that it is sent to the first counts: those
   * that lag are no measure of the gateway, and would be counted as often as they take turns.
   */
  void delivered(long receivedNanos) {
    if (receivedNanos - measured > 0) {
      measured = receivedNanos;
      metrics.delivered(type, time.nanoTime() - receivedNanos);
    }
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
