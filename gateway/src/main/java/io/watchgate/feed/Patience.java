package io.watchgate.feed;

/** Tells who does not read. Asked once a second; used by one subscription, on its owner. */
final class Patience {
  /** How long one who does not read at all is kept while too much waits, in seconds. */
  private static final int ROUNDS = 10;

  private long sentBefore;
  private int silent;

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
    return stalls;
  }

  /** Whether it has been like that for too long, should others need what it keeps. */
  boolean isOver() {
    return silent > ROUNDS;
  }
}
