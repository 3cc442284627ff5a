package io.watchgate.fanout;

import java.time.Duration;

/**
 * Waits and limits that are the same for all streams.
 *
 * @param positionWait how long a stream waits for a position that the cache has not reached
 *     (watch.proto: 3 s), then BEHIND
 * @param lookWait how much longer, while the apiserver is asked for it (watch.proto: 2 s)
 * @param loadingPatience how long a stream waits for a type while the apiserver does not answer,
 *     then UPSTREAM_UNAVAILABLE
 * @param pastWait how long a stream waits for a past that this gateway does not have, then it gets
 *     a snapshot
 * @param streamAge after about how long a caught-up stream is sent to be opened anew, so that
 *     streams spread over the replicas there are; zero: never
 */
public record FanoutSettings(
    Duration positionWait,
    Duration lookWait,
    Duration loadingPatience,
    Duration pastWait,
    Duration streamAge,
    Limits limits) {

  /**
   * What streams may cost together.
   *
   * @param feeds how many different selections and projections are served at a time
   * @param outboundBytes what may wait in the transport for those who do not read, 16 MiB to 8 GiB;
   *     up to twice as much is in buffers outside the heap
   * @param roots how many states behind history those who lag may stand on, of one type, 1 to 64
   * @param snapshotBytes of the snapshots under way at a time, 16 MiB to 64 GiB
   */
  public record Limits(int feeds, long outboundBytes, int roots, long snapshotBytes) {
    /**
     * Of a snapshot under way, the heap holds this part: a head of about 200 bytes for each object,
     * and pieces that lead to the cache's own bytes.
     */
    public static final int SNAPSHOT_HEAP_PART = 4;

    /** The defaults, for a heap of that many bytes. */
    public static Limits forHeap(long maxHeap) {
      return new Limits(
          50_000,
          Math.clamp(maxHeap / 8, 16L << 20, 256L << 20),
          16,
          Math.clamp(maxHeap / 2, 16L << 20, 4L << 30));
    }
  }

  /** The defaults, for a heap of 8 GiB or more. */
  public static final FanoutSettings DEFAULTS =
      new FanoutSettings(
          Duration.ofSeconds(3),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(30),
          Limits.forHeap(8L << 30));

  public FanoutSettings with(Limits others) {
    return new FanoutSettings(positionWait, lookWait, loadingPatience, pastWait, streamAge, others);
  }

  public FanoutSettings withStreamAge(Duration age) {
    return new FanoutSettings(positionWait, lookWait, loadingPatience, pastWait, age, limits);
  }
}
