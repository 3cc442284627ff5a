package io.watchgate.fanout;

import java.util.HashSet;
import java.util.Set;

/**
 * Which connections were given something in the last second. Where thousands join at once, streams
 * of one connection take turns, and one of them may get nothing for seconds although its client
 * reads as fast as it can. Used by one owner, for one round.
 */
final class ActiveConnections {
  private final Set<Object> moving = new HashSet<>();

  /** One of the streams of that outlet's connection was sent more. */
  void on(ResponseSink outlet) {
    moving.add(outlet.connection());
  }

  /** Whether one of the same connection was. */
  boolean isOn(ResponseSink outlet) {
    return !moving.isEmpty() && moving.contains(outlet.connection());
  }
}
