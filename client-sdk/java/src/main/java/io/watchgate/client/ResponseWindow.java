package io.watchgate.client;

/**
 * Number of responses that a stream requests in advance. Requesting one response at a time wakes
 * the transport's thread for each, which raises its cost by half. So several small responses of
 * changes are requested at once, as soon as half of the previous ones have arrived. Confined to one
 * thread at a time, not thread-safe.
 *
 * <p>Memory: usually {@link #BYTES}, and at most {@link #MAX_RESPONSES} of the largest responses if
 * large responses follow small ones. Parts of snapshots and of groups are large and are requested
 * one by one.
 */
final class ResponseWindow {
  private static final int MAX_RESPONSES = 8;
  private static final int BYTES = 64 << 10;

  private final int maxResponses;

  /** Responses that were requested and have not arrived yet. */
  private int outstanding;

  private ResponseWindow(int maxResponses) {
    this.maxResponses = maxResponses;
  }

  static ResponseWindow ofSmallResponses() {
    return new ResponseWindow(MAX_RESPONSES);
  }

  /**
   * Returns a window for a listener that requests each update: the next response is requested after
   * the last one was processed.
   */
  static ResponseWindow ofOne() {
    return new ResponseWindow(1);
  }

  /** Returns whether requested responses are still outstanding. */
  boolean isWaiting() {
    return outstanding > 0;
  }

  /** Records the arrival of a response. */
  void recordResponse() {
    outstanding--;
  }

  /**
   * Returns how many responses to request if their size is unknown, and counts them as outstanding.
   */
  int refillOne() {
    return refill(1);
  }

  /**
   * Returns how many responses to request after a small response, and counts them as outstanding.
   *
   * @param bytes size of the last response, taken as the estimate for the next ones
   */
  int refillFor(int bytes) {
    return refill(Math.max(1, Math.min(maxResponses, BYTES / Math.max(1, bytes))));
  }

  private int refill(int wanted) {
    if (outstanding > wanted / 2) {
      return 0;
    }
    int more = wanted - outstanding;
    outstanding = wanted;
    return more;
  }
}
