package io.watchgate.grpc.lane;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Filter of the pings that gRPC sees. gRPC allows one ping per interval ({@code permittedPing} of
 * {@code TransportSettings}) and a few extra ones, and resets the count of extra pings when it
 * sends DATA. It does not see the DATA of the lane. So after DATA of the lane the filter hides the
 * same number of extra pings; Netty answers them. A ping that gRPC allows is passed on, so that its
 * keepalive knows that the client is alive. Used on the event loop of the connection.
 */
public final class PingFilter {
  /** Extra pings after DATA that gRPC allows: {@code KeepAliveEnforcer}, two and one. */
  private static final int EXTRA_PINGS = 3;

  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private long lastPassed;
  private int extraPings;

  /**
   * @param permitted shortest interval of pings that gRPC permits
   */
  public PingFilter(Duration permitted, LongSupplier nanoTime) {
    this.intervalNanos = permitted.toNanos();
    this.nanoTime = nanoTime;
    this.lastPassed = nanoTime.getAsLong() - intervalNanos;
  }

  /** Records that the lane has sent DATA. */
  void onData() {
    extraPings = EXTRA_PINGS;
  }

  /** Returns whether gRPC is to judge the ping that has arrived. */
  boolean shouldPass() {
    long now = nanoTime.getAsLong();
    if (now - lastPassed < intervalNanos && extraPings > 0) {
      extraPings--;
      return false;
    }
    lastPassed = now;
    return true;
  }
}
