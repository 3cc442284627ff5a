package io.watchgate.client;

/**
 * How many responses a stream asks for before it has dealt with those that came. Whoever asks for
 * one at a time wakes the transport's thread for each, and costs it half as much again; so small
 * responses of changes are asked for several at once, as soon as half of them came. Used by one
 * owner, not thread-safe.
 *
 * <p>What this costs in memory: {@link #BYTES} as a rule, and {@link #MOST} of the largest
 * responses where those follow small ones at once. Parts of snapshots and of groups are large, and
 * are asked for one by one.
 */
final class ResponseWindow {
  private static final int MOST = 8;
  private static final int BYTES = 64 << 10;

  private final int most;

  /** Asked for, and not here yet. */
  private int outstanding;

  private ResponseWindow(int most) {
    this.most = most;
  }

  static ResponseWindow ofSmallOnes() {
    return new ResponseWindow(MOST);
  }

  /** For a listener that says what it wants to hear: the next is asked for behind the last. */
  static ResponseWindow none() {
    return new ResponseWindow(1);
  }

  /** Whether there is anything to come. */
  boolean isWaiting() {
    return outstanding > 0;
  }

  /** One of them is here. */
  void came() {
    outstanding--;
  }

  /** How many to ask for where nothing is known of them; they are outstanding from here on. */
  int one() {
    return upTo(1);
  }

  /**
   * How many to ask for behind a small response; they are outstanding from here on.
   *
   * @param bytes of the last one, to which the next are likely to be alike
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
