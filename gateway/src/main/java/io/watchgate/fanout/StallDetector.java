package io.watchgate.fanout;

/** Tells who does not read. Asked once a second; used by one subscription, on its owner. */
final class StallDetector {
  /** How long one who does not read at all is kept while too much waits, in seconds. */
  private static final int ROUNDS = 10;

  /** The same while twice as much as may does, where nobody on its connection reads. */
  private static final int FEW_ROUNDS = 2;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private long sentBefore;
  private int silent;

  /** What had been sent when it last stalled. */
  private long sentAtStall = NEVER;

  /**
   * A second has passed.
   *
   * @param sentBytes since the stream began
   * @return whether more was sent in it, and not for the first time: that much is taken unread
   */
  boolean moves(long sentBytes, ResponseSink outlet) {
    boolean more = sentBytes != sentBefore;
    boolean first = sentBefore == 0;
    boolean stalls = !more && !outlet.isReady();
    sentBefore = sentBytes;
    silent = stalls ? silent + 1 : 0;
    if (stalls) {
      sentAtStall = sentBytes;
    }
    return more && !first;
  }

  /** Whether nothing was sent in the last second, as the transport takes nothing. */
  boolean stalls() {
    return silent > 0;
  }

  /**
   * Whether it has stalled and nothing shows that it reads again: once more was sent than waits in
   * a transport that is ready, some of it was read.
   */
  boolean doubts(long sentBytes) {
    return sentBytes - sentAtStall <= ResponseSink.READY_BYTES;
  }

  /**
   * Whether it has not read for too long, should others need what it keeps.
   *
   * @param inTurns whether others on its connection are given something, so that it may have to
   *     wait for its turn
   */
  boolean isOver(OutboundBytes.Pressure pressure, boolean inTurns) {
    return switch (pressure) {
      case NONE -> false;
      case OVER -> silent > ROUNDS;
      case FAR_OVER -> silent > (inTurns ? ROUNDS : FEW_ROUNDS);
    };
  }
}
