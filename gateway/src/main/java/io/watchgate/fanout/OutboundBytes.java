package io.watchgate.fanout;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counter of the bytes queued in the transport for streams that do not read, with a limit. gRPC
 * only reports that the transport of a stream is not ready. At most its threshold and the last
 * response are queued then, so their sum is charged until the transport is ready again.
 *
 * <p>Above the limit, a stream that was not reading gets less at a time ({@link
 * SlowReaderThrottle}). A stream that does not read at all is closed after a while ({@link
 * StallDetector}), and earlier above twice the limit unless its connection makes progress. Bytes of
 * a user's streams count twice: for the user, and for all streams. Thread-safe.
 */
final class OutboundBytes {
  private final AtomicLong bytes = new AtomicLong();
  private final long limit;

  /** Counter of all streams, if this is the counter of one user; else null. */
  private final @Nullable OutboundBytes whole;

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

  private OutboundBytes(long limit, @Nullable OutboundBytes whole) {
    this.limit = limit;
    this.whole = whole;
  }

  /** Returns a counter with its own limit, whose bytes also count here. */
  OutboundBytes part(long limitOfPart) {
    return new OutboundBytes(limitOfPart, this);
  }

  /**
   * Charges a stream whose transport is not ready after a response of {@code lastResponse} bytes.
   * Returns the charge.
   */
  long charge(long lastResponse) {
    long charge = ResponseSink.READY_BYTES + lastResponse;
    add(charge);
    return charge;
  }

  void release(long charge) {
    releaseOfAll(charge);
    releaseOfOne(charge);
  }

  /** Releases a charge from all counters except that of the user. */
  void releaseOfAll(long charge) {
    if (whole != null) {
      whole.add(-charge);
    } else {
      add(-charge);
    }
  }

  /**
   * Releases a charge from the counter of the user. Does nothing on the counter of all streams, of
   * which {@link #releaseOfAll} has released the charge.
   */
  void releaseOfOne(long charge) {
    if (whole != null) {
      bytes.addAndGet(-charge);
    }
  }

  private void add(long more) {
    bytes.addAndGet(more);
    if (whole != null) {
      whole.add(more);
    }
  }

  /** Returns the higher pressure: that of the user or that of all streams. */
  Pressure pressure() {
    long now = bytes.get();
    Pressure own =
        now <= limit ? Pressure.NONE : now <= 2 * limit ? Pressure.OVER : Pressure.FAR_OVER;
    Pressure ofAll = whole == null ? Pressure.NONE : whole.pressure();
    return own.compareTo(ofAll) >= 0 ? own : ofAll;
  }

  long bytes() {
    return bytes.get();
  }
}
