package io.watchgate.fanout;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counter of the bytes queued in the transport for streams that do not read, with a limit. gRPC
 * only reports that the transport of a stream is not ready. At most gRPC's threshold and the last
 * response are queued then, so their sum is charged until the transport is ready again. Only the
 * last response is charged for a stream that bypasses gRPC's queue ({@link
 * ResponseSink#queuedBytes}).
 *
 * <p>Above the limit, a stream that was not reading gets less at a time ({@link SlowReaderPolicy}).
 * A stream that does not read at all is closed after a while, and earlier above twice the limit
 * unless its connection makes progress. Bytes of a user's streams count twice: for the user, and
 * for all streams. The limits are in {@link FanoutSettings.Limits#outboundBytes} and {@link
 * io.watchgate.auth.AuthSettings.Quotas#maxUnreadBytes}. Thread-safe.
 */
final class OutboundBytes {
  private final AtomicLong bytes = new AtomicLong();
  private final long limit;

  /** Counter of all streams, if this is the counter of one user; else null. */
  private final @Nullable OutboundBytes parent;

  /** Level by which a limit is exceeded. */
  enum Pressure {
    NONE,
    OVER,
    /** More than twice the limit. */
    FAR_OVER
  }

  OutboundBytes(long limit) {
    this(limit, null);
  }

  private OutboundBytes(long limit, @Nullable OutboundBytes parent) {
    this.limit = limit;
    this.parent = parent;
  }

  /** Returns a counter with its own limit, whose bytes also count here. */
  OutboundBytes forUser(long limitOfPart) {
    return new OutboundBytes(limitOfPart, this);
  }

  /**
   * Charges a stream whose transport is not ready.
   *
   * @param queued most bytes that the transport holds of it ({@link ResponseSink#queuedBytes})
   */
  void charge(long queued) {
    add(queued);
  }

  void release(long charge) {
    releaseShared(charge);
    releaseOwn(charge);
  }

  /** Releases a charge from all counters except that of the user. */
  void releaseShared(long charge) {
    if (parent != null) {
      parent.add(-charge);
    } else {
      add(-charge);
    }
  }

  /**
   * Releases a charge from the counter of the user. Does nothing on the counter of all streams, of
   * which {@link #releaseShared} has released the charge.
   */
  void releaseOwn(long charge) {
    if (parent != null) {
      bytes.addAndGet(-charge);
    }
  }

  private void add(long more) {
    bytes.addAndGet(more);
    if (parent != null) {
      parent.add(more);
    }
  }

  /** Returns the higher pressure: that of the user or that of all streams. */
  Pressure pressure() {
    long now = bytes.get();
    Pressure own =
        now <= limit ? Pressure.NONE : now <= 2 * limit ? Pressure.OVER : Pressure.FAR_OVER;
    Pressure ofAll = parent == null ? Pressure.NONE : parent.pressure();
    return own.compareTo(ofAll) >= 0 ? own : ofAll;
  }

  long bytes() {
    return bytes.get();
  }
}
