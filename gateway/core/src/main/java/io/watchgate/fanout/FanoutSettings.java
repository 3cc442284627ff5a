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
  public static final int DEFAULT_STREAM_AGE_MINUTES = 30;

  /**
   * Maximum bytes of a response with more than one event. With 1 MiB instead, many lagging streams
   * would have gigabytes in the transport. With position, token and a signal a response has at most
   * 64 KiB.
   */
  static final int MAX_CHUNK_BYTES = (64 << 10) - 512;

  /** Bytes that one run of a stream sends at most before other streams of the event loop run. */
  static final long BYTES_PER_RUN = 64 << 10;

  /**
   * Time for a version of {@code minimum_resource_version} to arrive by itself before a proof of
   * freshness is asked for: a change of the same type takes milliseconds.
   */
  public static final Duration PROOF_DELAY = Duration.ofMillis(100);

  /**
   * Longest wait of a stream for a proof of freshness, and of a get or list for all of its proofs.
   * A proof takes 3 s at most, and may wait for another one.
   */
  public static final Duration PROOF_TIMEOUT = Duration.ofSeconds(8);

  /** Time before a stream reaches its {@code max_staleness} at which a proof is asked for. */
  static final Duration PROOF_LEAD = Duration.ofSeconds(4);

  /**
   * Maximum number of proofs that are made for one request for the present state. If none of them
   * holds, the request is refused: a proof holds for one state, and the state may change before it
   * is read.
   */
  public static final int MAX_PROOFS = 3;

  /** Interval at which a proof is tried again for a stream that is near its limit. */
  static final Duration PROOF_INTERVAL = Duration.ofSeconds(1);

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
    public static final int DEFAULT_FEEDS = 50_000;
    public static final int DEFAULT_PINNED_REVISIONS = 16;

    /**
     * Divisor of a snapshot's bytes that gives its share of the heap: a head of about 200 bytes for
     * each object, and slices that refer to the cache's bytes.
     */
    public static final int SNAPSHOT_HEAP_DIVISOR = 4;

    /** Returns the defaults for a heap of {@code maxHeap} bytes. */
    public static Limits forHeap(long maxHeap) {
      return new Limits(
          DEFAULT_FEEDS,
          /* outboundBytes= */ Math.clamp(maxHeap / 8, 16L << 20, 256L << 20),
          DEFAULT_PINNED_REVISIONS,
          /* snapshotBytes= */ Math.clamp(maxHeap / 2, 16L << 20, 4L << 30));
    }
  }

  /** Defaults for a heap of 8 GiB or more. */
  public static final FanoutSettings DEFAULTS =
      new FanoutSettings(
          /* positionTimeout= */ Duration.ofSeconds(3),
          /* upstreamLookupTimeout= */ Duration.ofSeconds(2),
          /* loadTimeout= */ Duration.ofSeconds(30),
          /* backfillTimeout= */ Duration.ofSeconds(30),
          Duration.ofMinutes(DEFAULT_STREAM_AGE_MINUTES),
          Limits.forHeap(8L << 30));

  public FanoutSettings with(Limits others) {
    return new FanoutSettings(
        positionTimeout, upstreamLookupTimeout, loadTimeout, backfillTimeout, streamAge, others);
  }

  public FanoutSettings withPositionTimeout(Duration timeout) {
    return new FanoutSettings(
        timeout, upstreamLookupTimeout, loadTimeout, backfillTimeout, streamAge, limits);
  }

  public FanoutSettings withStreamAge(Duration age) {
    return new FanoutSettings(
        positionTimeout, upstreamLookupTimeout, loadTimeout, backfillTimeout, age, limits);
  }
}
