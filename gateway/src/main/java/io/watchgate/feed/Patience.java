package io.watchgate.feed;

/** Tells who does not read. Asked once a second; used by one subscription, on its owner. */
final class Patience {
  /** How long one who does not read at all is kept while too much waits, in seconds. */
  private static final int ROUNDS = 10;

  /** The same while twice as much as may does. */
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
   * @return whether nothing was sent in it, as the transport takes nothing
   */
  boolean stalls(long sentBytes, Outlet outlet) {
    boolean stalls = sentBytes == sentBefore && !outlet.isReady();
    sentBefore = sentBytes;
    silent = stalls ? silent + 1 : 0;
    if (stalls) {
      sentAtStall = sentBytes;
    }
    return stalls;
  }

  /**
   * Whether it has stalled and nothing shows that it reads again: once more was sent than waits in
   * a transport that is ready, some of it was read.
   */
  boolean doubts(long sentBytes) {
    return sentBytes - sentAtStall <= Outlet.READY_BYTES;
  }

  /** Whether it has not read for too long, should others need what it keeps. */
  boolean isOver(Outbound.Pressure pressure) {
    return switch (pressure) {
      case NONE -> false;
      case OVER -> silent > ROUNDS;
      case FAR_OVER -> silent > FEW_ROUNDS;
    };
  }
}
