package io.watchgate.client;

/**
 * Number of responses that a stream requests in advance. Requesting one response at a time wakes
 * the transport's thread for each, which raises its cost by half. So several small responses of
 * changes are requested at once, as soon as half of the previous ones have arrived. Confined to one
 * thread at a time, not thread-safe.
 *
 * <p>Memory: usually {@link #BYTES}, and at most {@link #MOST} of the largest responses if large
 * responses follow small ones. Parts of snapshots and of groups are large and are requested one by
 * one.
 */
final class ResponseWindow {
  private static final int MOST = 8;
  private static final int BYTES = 64 << 10;

  private final int most;

  /** Responses that were requested and have not arrived yet. */
  private int outstanding;

  private ResponseWindow(int most) {
    this.most = most;
  }

  static ResponseWindow ofSmallOnes() {
    return new ResponseWindow(MOST);
  }

  /**
   * Returns a window for a listener that requests each update: the next response is requested after
   * the last one was processed.
   */
  static ResponseWindow none() {
    return new ResponseWindow(1);
  }

  /** Returns whether requested responses are still outstanding. */
  boolean isWaiting() {
    return outstanding > 0;
  }

  /** Records the arrival of a response. */
  void came() {
    outstanding--;
  }

  /**
   * Returns how many responses to request if their size is unknown, and counts them as outstanding.
   */
  int one() {
    return upTo(1);
  }

  /**
   * Returns how many responses to request after a small response, and counts them as outstanding.
   *
   * @param bytes size of the last response, taken as the estimate for the next ones
   */
  int like(int bytes) {
    return upTo(Math.max(1, Math.min(most, BYTES / Math.max(1, bytes))));
  }

  private int upTo(int wanted) {
    if (outstanding > wanted / 2) {
      return 0;
    }
    int more = wanted - outstanding;
    outstanding = wanted;
    return more;
  }
}
