package io.watchgate.fanout;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What waits in the transport for those who do not read, of all streams. gRPC does not tell, but
 * that a stream's transport is not ready: then at most its threshold and the last response wait,
 * and so much is charged until it is ready again. Beyond the bound, one who was not reading is
 * given less at a time ({@link SlowReaderThrottle}), and one who does not read at all is ended
 * after a while ({@link StallDetector}), sooner beyond twice the bound unless its connection moves.
 * What waits for the streams of one user counts twice: for him, and for all. Thread-safe.
 */
final class OutboundBytes {
  private final AtomicLong bytes = new AtomicLong();
  private final long limit;

  /** Null: of all. */
  private final @Nullable OutboundBytes whole;

  /** How much too much it is. */
  enum Pressure {
    NONE,
    OVER,
    /** More than twice as much as may wait. */
    FAR_OVER
  }

  OutboundBytes(long limit) {
    this(limit, null);
  }

  private OutboundBytes(long limit, @Nullable OutboundBytes whole) {
    this.limit = limit;
    this.whole = whole;
  }

  /** A part of this with a limit of its own. */
  OutboundBytes part(long limitOfPart) {
    return new OutboundBytes(limitOfPart, this);
  }

  /** A stream's transport takes no more after a response of so many bytes. Returns the charge. */
  long charge(long lastResponse) {
    long charge = ResponseSink.READY_BYTES + lastResponse;
    add(charge);
    return charge;
  }

  void release(long charge) {
    releaseOfAll(charge);
    releaseOfOne(charge);
  }

  /** All but the user whose it is. */
  void releaseOfAll(long charge) {
    if (whole != null) {
      whole.add(-charge);
    } else {
      add(-charge);
    }
  }

  /**
   * The user alone; of what nobody's in particular is, nothing is left after {@link #releaseOfAll}.
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

  /** Of what is one user's, and of all, whichever is worse. */
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
