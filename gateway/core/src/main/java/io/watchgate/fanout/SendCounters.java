package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;

/**
 * Sums of the events and bytes that the streams of one type send on one event loop. They are passed
 * to the metrics once per task and not once per delivery. Used by one event loop.
 */
final class SendCounters {
  private final ApiResource type;
  private final TimeSource time;
  private final FanoutMetrics metrics;

  /** Receive time of the newest change that was measured; initially the time of construction. */
  private long measured;

  private int events;
  private long bytes;

  SendCounters(ApiResource type, TimeSource time, FanoutMetrics metrics) {
    this.type = type;
    this.time = time;
    this.metrics = metrics;
    this.measured = time.nanoTime() - 1;
  }

  void recordSent(int moreEvents, int moreBytes) {
    events += moreEvents;
    bytes += moreBytes;
  }

  /**
   * Measures the delivery of a change that was received at {@code receivedNanos}. A change is
   * measured once, at the first stream that is sent it: later sends measure slow clients.
   */
  void recordDelivery(long receivedNanos) {
    if (receivedNanos - measured > 0) {
      measured = receivedNanos;
      metrics.delivered(type, time.nanoTime() - receivedNanos);
    }
  }

  /** Passes the sums to the metrics and resets them. */
  void publish() {
    if (bytes > 0) {
      metrics.sent(type, events, bytes);
      events = 0;
      bytes = 0;
    }
  }
}
