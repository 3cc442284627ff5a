package io.watchgate.fanout;

import java.time.Duration;

/**
 * Limits of replays; see {@link Replay} and {@link ReplayBatcher}.
 *
 * @param maxFrames maximum number of frames of one pass, at about 300 bytes each; streams that need
 *     more ask again
 * @param collectDelay delay after the first request of a batch, at most 50 ms: one pass over
 *     history serves all streams of a reconnect storm
 * @param maxInlineEvents a stream at most this many events behind, and 8 times as many revisions,
 *     is replayed by the router itself, without a pass of the pool
 */
record ReplaySettings(int maxFrames, Duration collectDelay, int maxInlineEvents) {
  static final ReplaySettings DEFAULTS =
      new ReplaySettings(
          /* maxFrames= */ 65_536,
          /* collectDelay= */ Duration.ofMillis(20),
          /* maxInlineEvents= */ 128);
}
