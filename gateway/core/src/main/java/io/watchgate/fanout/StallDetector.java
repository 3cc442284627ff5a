package io.watchgate.fanout;

/**
 * Detector of a stream that does not read. Called once a second; used by one subscription, on its
 * event loop.
 */
final class StallDetector {
  /**
   * Seconds without progress after which a stalled stream is closed while outbound bytes exceed the
   * limit.
   */
  private static final int TIMEOUT_SECONDS = 10;

  /**
   * Seconds without progress after which a stalled stream is closed when outbound bytes exceed
   * twice the limit and no stream of its connection made progress.
   */
  private static final int SHORT_TIMEOUT_SECONDS = 2;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private long sentBefore;
  private int stalledSeconds;

  /** Bytes that had been sent at the last stall. */
  private long sentAtStall = NEVER;

  /**
   * Records that a second has passed.
   *
   * @param sentBytes bytes sent since the stream began
   * @return whether bytes were sent in this second, and not for the first time: a transport accepts
   *     the first bytes even if the client reads nothing
   */
  boolean recordSecond(long sentBytes, ResponseSink outlet) {
    boolean more = sentBytes != sentBefore;
    boolean first = sentBefore == 0;
    boolean stalls = !more && !outlet.isReady();
    sentBefore = sentBytes;
    stalledSeconds = stalls ? stalledSeconds + 1 : 0;
    if (stalls) {
      sentAtStall = sentBytes;
    }
    return more && !first;
  }

  /** Returns whether nothing was sent in the last second because the transport was not ready. */
  boolean isStalled() {
    return stalledSeconds > 0;
  }

  /**
   * Returns whether the client has not provably read since the last stall. The proof is that more
   * than {@link ResponseSink#READY_BYTES} were sent after it, as a ready transport queues no more
   * than that.
   */
  boolean isSuspect(long sentBytes) {
    return sentBytes - sentAtStall <= ResponseSink.READY_BYTES;
  }

  /**
   * Returns whether the stream has stalled for too long while others need its resources.
   *
   * @param inTurns whether other streams of its connection make progress, so that this stream may
   *     have to wait for the connection
   */
  boolean hasTimedOut(OutboundBytes.Pressure pressure, boolean inTurns) {
    return switch (pressure) {
      case NONE -> false;
      case OVER -> stalledSeconds > TIMEOUT_SECONDS;
      case FAR_OVER -> stalledSeconds > (inTurns ? TIMEOUT_SECONDS : SHORT_TIMEOUT_SECONDS);
    };
  }
}
