package io.watchgate.grpc.lane;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Rule by which the pings of a client are passed to gRPC. gRPC permits pings at an interval,
 * forgives a few others, and forgets them with each DATA frame that it sends; it does not see those
 * of the lane. So a ping that gRPC would permit is passed on, which also tells its keepalive that
 * the client lives. After DATA of the lane as many others as gRPC forgives are not passed on; Netty
 * answers them. Used on the event loop of the connection.
 */
public final class PingExcuse {
  /** Pings after DATA that gRPC would not count: {@code KeepAliveEnforcer}, two and one. */
  private static final int FORGIVEN = 3;

  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private long lastPassed;
  private int forgiven;

  /**
   * @param permitted shortest interval of pings that gRPC permits
   */
  public PingExcuse(Duration permitted, LongSupplier nanoTime) {
    this.intervalNanos = permitted.toNanos();
    this.nanoTime = nanoTime;
    this.lastPassed = nanoTime.getAsLong() - intervalNanos;
  }

  /** Records that the lane has sent DATA. */
  void onData() {
    forgiven = FORGIVEN;
  }

  /** Returns whether gRPC is to judge the ping that has arrived. */
  boolean shouldPass() {
    long now = nanoTime.getAsLong();
    if (now - lastPassed < intervalNanos && forgiven > 0) {
      forgiven--;
      return false;
    }
    lastPassed = now;
    return true;
  }
}
