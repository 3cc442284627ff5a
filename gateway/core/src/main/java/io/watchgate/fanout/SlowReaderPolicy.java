package io.watchgate.fanout;

import java.util.HashSet;
import java.util.Set;

/**
 * Policy for one stream that does not read, or reads slowly, while bytes are queued in the
 * transport. What such a stream is sent once it is behind is up to {@link LaggardPolicy}. Used by
 * one event loop.
 *
 * <ul>
 *   <li>Charge: while the transport is not ready, its bytes count in {@link OutboundBytes}.
 *   <li>Stall: once a second the policy records whether the transport accepted bytes.
 *   <li>Throttle: above the limit of bytes, of all streams or of the user, a stream that has
 *       stalled gets one response per tick, until it has provably read again. Streams that read, or
 *       have just started, are not throttled. A stream that keeps up is sent each event anyway, so
 *       throttling it would save nothing.
 *   <li>End: above the limit, a stream that has stalled for its timeout is closed.
 * </ul>
 *
 * <p>The timeouts are in {@link SlowReaderSettings}, the limit of bytes in {@link
 * FanoutSettings.Limits#outboundBytes}.
 */
final class SlowReaderPolicy {
  private static final SlowReaderSettings LIMITS = SlowReaderSettings.DEFAULTS;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final SubscribedStream stream;
  private final OutboundBytes outbound;

  /**
   * Charge of {@link OutboundBytes}, while the transport is not ready or still sends what was
   * queued before the end.
   */
  private long charge;

  private long sentBefore;
  private int stalledSeconds;

  /** Bytes that had been sent at the last stall. */
  private long sentAtStall = NEVER;

  private Permit permit = Permit.NONE;

  private enum Permit {
    NONE,
    AWAITED,
    GIVEN
  }

  SlowReaderPolicy(SubscribedStream stream, OutboundBytes outbound) {
    this.stream = stream;
    this.outbound = outbound;
  }

  // ---- charge

  /**
   * Charges the stream after a response of {@code lastResponse} bytes: the transport is not ready.
   */
  void markBlocked(long lastResponse) {
    if (charge == 0) {
      charge = stream.sink().queuedBytes(lastResponse);
      outbound.charge(charge);
    }
  }

  /** Releases the charge: the transport is ready, so the queued bytes were sent. */
  void markTransportReady() {
    if (charge != 0) {
      outbound.release(charge);
      charge = 0;
    }
  }

  /**
   * Ends the stream. Its transport may keep the queued bytes for long, because it sends them before
   * the end. Until then they are charged to the user's other streams, and to no other user.
   */
  void end() {
    outbound.releaseShared(charge);
  }

  /** Releases what {@link #end} has left: the transport has closed the stream. */
  void releaseCharge() {
    outbound.releaseOwn(charge);
    charge = 0;
  }

  // ---- throttle

  /**
   * Defers the next response if the reader is slow and memory is short: schedules a run of the
   * stream at the next tick, and returns true. Called before each response.
   */
  boolean deferIfThrottled(Phase phase, long sentBytes) {
    if (!phase.isBehind()
        || !isSuspect(sentBytes)
        || outbound.pressure() == OutboundBytes.Pressure.NONE) {
      return false;
    }
    return switch (permit) {
      case GIVEN -> {
        permit = Permit.NONE;
        yield false;
      }
      case NONE -> {
        permit = Permit.AWAITED;
        stream.after(TimerWheel.TICK, this::allowOne);
        yield true;
      }
      case AWAITED -> true;
    };
  }

  private void allowOne() {
    permit = Permit.GIVEN;
    stream.runOnce();
  }

  /**
   * Returns whether the client has not provably read since the last stall. The proof is that more
   * than {@link ResponseSink#READY_BYTES} were sent after it, as a ready transport queues no more
   * than that.
   */
  private boolean isSuspect(long sentBytes) {
    return sentBytes - sentAtStall <= ResponseSink.READY_BYTES;
  }

  // ---- once a second

  /**
   * Records that a second has passed. Under pressure, adds the connection to the active ones if
   * bytes were sent in this second. The first bytes of a stream do not count: a transport accepts
   * them even if the client reads nothing.
   *
   * @param sentBytes bytes sent since the stream began
   */
  void recordSecond(long sentBytes, ActiveConnections active) {
    boolean more = sentBytes != sentBefore;
    boolean first = sentBefore == 0;
    boolean stalls = !more && stream.sink().isBlocked();
    sentBefore = sentBytes;
    stalledSeconds = stalls ? stalledSeconds + 1 : 0;
    if (stalls) {
      sentAtStall = sentBytes;
    }
    if (more && !first && outbound.pressure() != OutboundBytes.Pressure.NONE) {
      active.add(stream.sink());
    }
  }

  /** Returns whether nothing was sent in the last second because the transport was not ready. */
  boolean isStalled() {
    return stalledSeconds > 0;
  }

  /**
   * Returns whether the stream has stalled for its timeout or longer while others need its
   * resources. If other streams of its connection make progress, this stream may have to wait for
   * the connection, so it gets the longer timeout.
   */
  boolean hasTimedOut(ActiveConnections active) {
    return switch (outbound.pressure()) {
      case NONE -> false;
      case OVER -> stalledSeconds >= LIMITS.stallTimeout();
      case FAR_OVER ->
          stalledSeconds
              >= (active.contains(stream.sink())
                  ? LIMITS.stallTimeout()
                  : LIMITS.shortStallTimeout());
    };
  }

  /**
   * Connections that accepted data in the last second. Where thousands of streams join at once, the
   * streams of one connection share it round robin. One of them may get nothing for seconds
   * although its client reads as fast as it can. Used by one event loop, for one check per second.
   */
  static final class ActiveConnections {
    private final Set<Object> active = new HashSet<>();

    /** Marks the connection of a stream that was sent more. */
    private void add(ResponseSink sink) {
      active.add(sink.connection());
    }

    /** Returns whether another stream of the same connection was sent more. */
    private boolean contains(ResponseSink sink) {
      return !active.isEmpty() && active.contains(sink.connection());
    }
  }
}
