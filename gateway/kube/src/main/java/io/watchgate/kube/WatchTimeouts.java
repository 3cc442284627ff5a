package io.watchgate.kube;

import java.time.Duration;

/**
 * Duration of the watches of the apiserver, and the timeout after which a silent one counts as
 * stalled.
 *
 * @param duration minimum requested duration, in full seconds from 1; the maximum is twice that, at
 *     random, so that the watches of many gateways do not end together
 * @param slack time beyond the requested duration after which the client ends the watch
 * @param idleTimeout maximum time without a frame, including bookmarks, which are sent about once a
 *     minute; applied to types without bookmarks only over HTTP/1.1, which has no pings
 */
public record WatchTimeouts(Duration duration, Duration slack, Duration idleTimeout) {
  static final WatchTimeouts DEFAULT =
      new WatchTimeouts(
          /* duration= */ Duration.ofMinutes(30), // the apiserver's own default: 30 to 60 min
          /* slack= */ Duration.ofSeconds(30),
          // Three intervals of bookmarks and a little.
          /* idleTimeout= */ Duration.ofSeconds(190));

  /**
   * Tolerance for a watch that ends early. The server's timer starts before its response arrives
   * here.
   */
  static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

  public WatchTimeouts {
    if (duration.toSeconds() < 1) {
      throw new IllegalArgumentException("a watch of less than a second: " + duration);
    }
  }
}
