package io.watchgate.fanout;

import java.util.HashSet;
import java.util.Set;

/**
 * Connections that accepted data in the last second. Where thousands of streams join at once, the
 * streams of one connection share it round robin. One of them may get nothing for seconds although
 * its client reads as fast as it can. Used by one event loop, for one check per second.
 */
final class ActiveConnections {
  private final Set<Object> active = new HashSet<>();

  /** Marks the connection of a stream that was sent more. */
  void add(ResponseSink outlet) {
    active.add(outlet.connection());
  }

  /** Returns whether another stream of the same connection was sent more. */
  boolean contains(ResponseSink outlet) {
    return !active.isEmpty() && active.contains(outlet.connection());
  }
}
