package io.watchgate.fanout;

import java.time.Duration;

/**
 * Default and ranges of what a request may choose, in {@code Delivery} of watch.proto. They are
 * part of the contract, so no option changes them. {@link StreamOptions} has the values of one
 * stream.
 *
 * @param defaultBookmarkInterval interval if the request has none; a client detects a dead
 *     connection after three intervals. Watches over the Kubernetes API have their own, in {@code
 *     HttpSettings} of package http
 * @param minBookmarkInterval shorter ones cost more than changes
 * @param maxBookmarkInterval longer ones exceed the idle timeouts of proxies
 * @param maxBatchDelay bounds the latency that a client can choose
 * @param batchDelayStep batch delays are rounded up to a multiple: the tick of the timers
 * @param minStreamStaleness a started stream is never closed for a staleness below this, even if
 *     the client asked for less: one proof can take 3 s. A shorter {@code max_staleness} applies to
 *     the snapshot only
 * @param maxStaleness longest staleness that a client can choose
 */
public record DeliveryDefaults(
    Duration defaultBookmarkInterval,
    Duration minBookmarkInterval,
    Duration maxBookmarkInterval,
    Duration maxBatchDelay,
    Duration batchDelayStep,
    Duration minStreamStaleness,
    Duration maxStaleness) {
  public static final DeliveryDefaults DEFAULTS =
      new DeliveryDefaults(
          /* defaultBookmarkInterval= */ Duration.ofSeconds(30),
          /* minBookmarkInterval= */ Duration.ofSeconds(1),
          /* maxBookmarkInterval= */ Duration.ofMinutes(5),
          /* maxBatchDelay= */ Duration.ofSeconds(10),
          /* batchDelayStep= */ TimerWheel.TICK,
          /* minStreamStaleness= */ Duration.ofSeconds(8),
          /* maxStaleness= */ Duration.ofDays(7));
}
