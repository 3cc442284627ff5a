package io.watchgate.feed;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What waits in the transport for those who do not read, of all streams. gRPC does not tell, but
 * that a stream's transport is not ready: then at most its threshold and the last response wait,
 * and so much is charged until it is ready again. Beyond the bound, whoever is behind is given less
 * at a time, and one who does not read at all is ended after a while. Thread-safe.
 */
final class Outbound {
  private final AtomicLong bytes = new AtomicLong();
  private final long limit;

  Outbound(long limit) {
    this.limit = limit;
  }

  /** A stream's transport takes no more after a response of so many bytes. Returns the charge. */
  long charge(long lastResponse) {
    long charge = Outlet.READY_BYTES + lastResponse;
    bytes.addAndGet(charge);
    return charge;
  }

  void release(long charge) {
    bytes.addAndGet(-charge);
  }

  boolean isOver() {
    return bytes.get() > limit;
  }

  long bytes() {
    return bytes.get();
  }
}
