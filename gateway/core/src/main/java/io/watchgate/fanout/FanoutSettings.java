package io.watchgate.fanout;

import java.time.Duration;

/**
 * Timeouts and limits that apply to all streams.
 *
 * @param positionTimeout timeout of waiting for a position that the cache has not reached
 *     (watch.proto: 3 s), then BEHIND
 * @param upstreamLookupTimeout additional timeout while the apiserver is asked for its version
 *     (watch.proto: 2 s)
 * @param loadTimeout timeout of waiting for a type while the apiserver does not answer, then
 *     UPSTREAM_UNAVAILABLE
 * @param backfillTimeout timeout of waiting for older history that this gateway does not have, then
 *     the stream gets a snapshot
 * @param streamAge approximate age at which a caught-up stream is asked to reconnect, so that
 *     streams spread over the current replicas; zero: never
 */
public record FanoutSettings(
    Duration positionTimeout,
    Duration upstreamLookupTimeout,
    Duration loadTimeout,
    Duration backfillTimeout,
    Duration streamAge,
    Limits limits) {

  /**
   * Limits of the resources that all streams share.
   *
   * @param feeds maximum number of different selections and projections served at a time
   * @param outboundBytes limit of the bytes queued in the transport for streams that do not read,
   *     16 MiB to 8 GiB; up to twice as many bytes are in buffers outside the heap
   * @param pinnedRevisions maximum number of pinned revisions behind history, per type, 1 to 64
   * @param snapshotBytes limit of the bytes of concurrent snapshots, 16 MiB to 64 GiB
   */
  public record Limits(int feeds, long outboundBytes, int pinnedRevisions, long snapshotBytes) {
    /**
     * Divisor of a snapshot's bytes that gives its share of the heap: a head of about 200 bytes for
     * each object, and slices that refer to the cache's bytes.
     */
    public static final int SNAPSHOT_HEAP_PART = 4;

    /** Returns the defaults for a heap of {@code maxHeap} bytes. */
    public static Limits forHeap(long maxHeap) {
      return new Limits(
          50_000,
          Math.clamp(maxHeap / 8, 16L << 20, 256L << 20),
          16,
          Math.clamp(maxHeap / 2, 16L << 20, 4L << 30));
    }
  }

  /** Defaults for a heap of 8 GiB or more. */
  public static final FanoutSettings DEFAULTS =
      new FanoutSettings(
          Duration.ofSeconds(3),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(30),
          Limits.forHeap(8L << 30));

  public FanoutSettings with(Limits others) {
    return new FanoutSettings(
        positionTimeout, upstreamLookupTimeout, loadTimeout, backfillTimeout, streamAge, others);
  }

  public FanoutSettings withStreamAge(Duration age) {
    return new FanoutSettings(
        positionTimeout, upstreamLookupTimeout, loadTimeout, backfillTimeout, age, limits);
  }
}
