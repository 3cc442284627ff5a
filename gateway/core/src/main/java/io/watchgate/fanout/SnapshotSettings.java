package io.watchgate.fanout;

import java.time.Duration;

/**
 * Limits of snapshots, beside {@link FanoutSettings.Limits#snapshotBytes}; see {@link
 * SnapshotAdmission}.
 *
 * @param maxWaiting maximum number of waiting snapshots; with more, a client does better on another
 *     replica
 * @param maxWaitingPerUser the same for one user, if users are distinguished: half of them, so that
 *     others have room
 * @param joinableFor maximum age of a snapshot that further streams may still join; no stream is
 *     sent an older state this way
 * @param ticketTime time after which a snapshot in progress no longer holds up others: a client
 *     that reads a large one slowly would delay all others for minutes
 */
record SnapshotSettings(
    int maxWaiting, int maxWaitingPerUser, Duration joinableFor, Duration ticketTime) {
  /**
   * Maximum number of objects in the result of a shared scan. For a feed that selects more, finding
   * the objects costs little compared to sending them. And a list for each of a thousand feeds that
   * select everything would use too much memory.
   */
  static final int MAX_SCAN_RESULTS = 1_024;

  static final SnapshotSettings DEFAULTS =
      new SnapshotSettings(
          /* maxWaiting= */ 10_000,
          /* maxWaitingPerUser= */ 5_000,
          /* joinableFor= */ Duration.ofSeconds(2),
          /* ticketTime= */ Duration.ofSeconds(10));
}
