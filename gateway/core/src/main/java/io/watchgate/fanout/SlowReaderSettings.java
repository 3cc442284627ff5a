package io.watchgate.fanout;

import java.time.Duration;

/**
 * Timeouts of streams that do not read, in seconds, checked each second; see {@link
 * SlowReaderPolicy}.
 *
 * @param stallTimeout time without progress after which a stalled stream is closed while outbound
 *     bytes exceed the limit
 * @param shortStallTimeout the same when outbound bytes exceed twice the limit and no stream of the
 *     connection made progress
 */
record SlowReaderSettings(int stallTimeout, int shortStallTimeout) {
  /**
   * Interval of the check for streams that do not read. A stream that stalls for a full interval
   * leaves the frame log and pins a revision.
   */
  static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  static final SlowReaderSettings DEFAULTS =
      new SlowReaderSettings(/* stallTimeout= */ 10, /* shortStallTimeout= */ 2);
}
