package io.watchgate.cache;

import java.time.Duration;

/**
 * Limits and waits of caches and their reflectors, in groups.
 *
 * @param unusedAfter time for which a type without readers stays open; zero for ever
 */
public record CacheSettings(
    History history,
    States states,
    Retries retries,
    Checks checks,
    Duration unusedAfter,
    ManagedFields managedFields) {
  public static final int DEFAULT_PROBE_SECONDS = 10;
  public static final int DEFAULT_SELF_CHECK_MINUTES = 10;
  public static final int DEFAULT_UNUSED_AFTER_SECONDS = 300;

  /** Treatment of metadata.managedFields, often half of an object, on arrival. */
  public enum ManagedFields {
    KEPT,
    DROPPED
  }

  /**
   * Limits of the history of each type.
   *
   * @param age maximum age of a position, 1 min to 24 h
   * @param bytes maximum size, 1 MiB to 8 GiB; the limit that is reached first applies. All types
   *     together have at most what the {@link HeapBudget} leaves them
   * @param laggardBytes maximum of bytes that readers behind history may pin, 1 MiB to 8 GiB; the
   *     {@link HeapBudget} limits all types together
   */
  public record History(Duration age, long bytes, long laggardBytes) {
    public static final int DEFAULT_AGE_MINUTES = 10;
  }

  /**
   * Limits of the states.
   *
   * @param heap maximum heap of the JVM; the limits of all parts follow from it ({@link
   *     HeapBudget})
   * @param perType maximum of bytes that the state of one type may occupy
   * @param total maximum of bytes that the states of all types may occupy
   * @param refusedFor time for which a type that was too large is not tried again
   */
  public record States(long heap, long perType, long total, Duration refusedFor) {
    /** Part of the heap that the states of all types may occupy; above it no type is opened. */
    static final int HEAP_PERCENT = 60;
  }

  /**
   * Comparisons of a type with the apiserver while its watch is open.
   *
   * @param probeEvery interval of version probes, 1 s to 1 min
   * @param selfCheckEvery interval of self-checks; zero for none
   */
  public record Checks(Duration probeEvery, Duration selfCheckEvery, FreshnessProofs freshness) {}

  /**
   * Waits before retries; see {@link FailurePolicy} and {@link Backoff}.
   *
   * @param base upper bound of the first wait after a failure, which doubles; the lower bound is
   *     zero
   * @param cap upper bound of the random part of a wait, to which the wait that the server asked
   *     for is added
   * @param markerTimeout timeout of a streaming list; after it the paged list is used instead
   * @param streamingListPause time for which the paged list is used before a streaming list is
   *     tried again
   */
  public record Retries(
      Duration base, Duration cap, Duration markerTimeout, Duration streamingListPause) {
    /**
     * Number of failures before waits become long. If only an administrator can end the failures,
     * each wait after them is at least the cap; of other failures, the next one is logged as a
     * warning.
     */
    static final int SHORT_WAITS = 6;

    /**
     * Number of failed streaming lists after which only paged lists are used: servers other than
     * kube-apiserver may fail at streaming lists in many ways.
     */
    static final int STREAMING_ATTEMPTS = 3;
  }

  /** Parts of the heap that {@link HeapBudget} does not give out, and waits for released heap. */
  public static final class Heap {
    /** Reserve for the program: a gateway without types and streams has 14 MiB of live objects. */
    public static final long PROGRAM_BYTES = 16L << 20;

    /**
     * Bytes that the program has in addition while types are open and streams begin and end: four
     * to five megabytes were found with one large type. They are part of the sixth of the heap that
     * the collector has.
     */
    static final long PROGRAM_IN_USE_BYTES = 4L << 20;

    /** Minimum heap in bytes: with less, there is no room for a type of a few megabytes. */
    public static final long MIN_HEAP = 40L << 20;

    /**
     * Divisor of the heap that gives the part for garbage, and for memory that a collector cannot
     * use.
     */
    static final int GARBAGE_PART = 6;

    /**
     * Divisor of the limit. States use at most 29 of these 32 parts. New streams are refused while
     * memory that cannot be released exceeds 31 parts, and accepted again at 30.
     */
    static final int RESERVE_PART = 32;

    /**
     * Divisor of the limit that gives the part that is released in addition to the excess, so that
     * the next release is not due at once.
     */
    static final int SLACK_PART = 16;

    /**
     * Divisor of the limit that gives the bytes that each history keeps until pins have been
     * released.
     */
    static final int MIN_HISTORY_PART = 64;

    /** Interval of the checks for heap that was given up: the collector signals nothing. */
    static final Duration POLL = Duration.ofMillis(1);

    /**
     * Longest wait of one event for heap that was given up: a stream that never releases its pins
     * must not block a type.
     */
    static final Duration WAIT = Duration.ofSeconds(5);

    private Heap() {}
  }

  /**
   * Lag of the router behind the reflector before the reflector waits: then changes queue at the
   * apiserver and not in the heap.
   */
  static final class ConsumerLag {
    /** Upper bound of the lag in bytes, which is otherwise a quarter of the history. */
    static final long MAX_BYTES = 16 << 20;

    /**
     * Lower bound of the lag in bytes, so that a small history does not make the reflector wait for
     * each change.
     */
    static final long MIN_BYTES = 1 << 20;

    /** Age in nanoseconds of the oldest change that was not distributed: 1 s. */
    static final long MAX_LAG_NANOS = 1_000_000_000;

    private ConsumerLag() {}
  }

  /** Limits of a {@link Backfill}, of history from before the start of this gateway. */
  static final class Backfills {
    /**
     * On a quiet type the end is reached with the bookmark that the apiserver sends one to three
     * seconds before the end of the watch. An apiserver without bookmarks cannot prove that nothing
     * is missing.
     */
    static final Duration WATCH_DURATION = Duration.ofSeconds(4);

    /**
     * Maximum number of watches: a busy type with a long history to fetch may need more than one.
     */
    static final int MAX_WATCHES = 6;

    /**
     * Maximum number of watches if none has sent a bookmark: a busy apiserver may be too late with
     * the first one, and some types, such as events, have none.
     */
    static final int MAX_WITHOUT_BOOKMARK = 2;

    /** Pause after a failure: an apiserver without that history is not asked again at once. */
    static final Duration RETRY_PAUSE = Duration.ofSeconds(30);

    /** If the apiserver asks for a longer wait than the first pause, the backfill is given up. */
    static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(1);

    /** Time that thousands of streams that reconnect at once may need to catch up. */
    static final Duration RETENTION = Duration.ofMinutes(1);

    /** Clients of one reconnect storm arrive within about this time. */
    static final Duration COLLECTION_TIME = Duration.ofSeconds(1);

    /**
     * Maximum number of requests of streams that wait for a backfill. Streams that have ended count
     * until their answer, so that clients that reconnect in a loop cannot fill the heap.
     */
    static final int MAX_REQUESTS = 100_000;

    /** Maximum number of versions that are tried while one request waits. */
    static final int MAX_VERSIONS = 4;

    /**
     * Maximum number of requests for one version while the apiserver does not answer: 7 s of waits
     * in all.
     */
    static final int MAX_ATTEMPTS = 4;

    private Backfills() {}
  }

  /** Watches of a type and their failures. */
  static final class WatchFailures {
    /**
     * Shortest watch in which a kube-apiserver sends a bookmark, up to three seconds before the
     * end.
     */
    static final Duration BRIEF_DURATION = Duration.ofSeconds(3);

    /** Duration below which a watch without events is a failure, so that the next one waits. */
    static final Duration MIN_HEALTHY_DURATION = Duration.ofSeconds(1);

    /** Number of unreadable watches after which the type is listed again. */
    static final int MAX_MALFORMED = 2;

    /**
     * Number of watches that the apiserver answered with an error after which the type is listed
     * again, if they lasted for {@link #MIN_ERROR_TIME}.
     */
    static final int MAX_ERRORS = 4;

    /**
     * Minimum time of such errors: longer than an etcd needs to elect a leader, and a webhook to
     * restart.
     */
    static final Duration MIN_ERROR_TIME = Duration.ofMinutes(2);

    private WatchFailures() {}
  }

  /**
   * Comparisons of a state with that of the apiserver, to prove that a history continues; see
   * {@link HistoryProof}.
   */
  static final class HistoryProofs {
    /**
     * Maximum number of types that are compared with the apiserver at a time after connections were
     * lost. Each comparison lists all metadata of a type, and the loss of an apiserver interrupts
     * all types at once.
     */
    static final int MAX_TYPES = 4;

    /**
     * Time after which a comparison no longer counts for {@link #MAX_TYPES}: lists that hang must
     * not block other types until their timeout.
     */
    static final Duration PERMIT_TIME = Duration.ofSeconds(5);

    /**
     * Longest time without a watch after which no proof of history is needed: a cluster is not
     * restored in it. A watch that ended at its time is followed by the next within milliseconds.
     */
    static final Duration MAX_UNWATCHED = Duration.ofSeconds(5);

    /**
     * Number of objects above which a watch of a moment checks for a refusal before the metadata is
     * listed.
     */
    static final int LARGE = 500;

    /** Duration of that watch: a refusal arrives at its beginning. */
    static final Duration REFUSAL_WATCH = Duration.ofSeconds(1);

    /**
     * Maximum of bytes of changes that are buffered during a comparison; above it the proof is
     * given up.
     */
    static final long MAX_BUFFERED_BYTES = 16L << 20;

    /** Wait between two requests if the first answer would end a history. */
    static final Duration CONFIRMATION_DELAY = Duration.ofSeconds(1);

    private HistoryProofs() {}
  }

  /** Version probes, and the refresh of positions of types that do not change. */
  static final class Probes {
    /**
     * Longest interval while probes fail, so that streams with a staleness limit notice the end of
     * an outage in time.
     */
    static final Duration MAX_WAIT = Duration.ofMinutes(1);

    /**
     * Age at which a position is refreshed: kube-apiserver compacts what is older than five
     * minutes.
     */
    static final Duration IDLE_AGE = Duration.ofMinutes(2);

    /**
     * The same for a type of many objects, because their list costs more than an occasional gap.
     */
    static final Duration IDLE_AGE_LARGE = Duration.ofMinutes(10);

    /** Number of objects above which {@link #IDLE_AGE_LARGE} applies. */
    static final int LARGE = 2_000;

    /**
     * Time without an event after a list that proves that the watch has no earlier change: it would
     * have arrived.
     */
    static final Duration GRACE = Duration.ofSeconds(10);

    private Probes() {}
  }

  /**
   * Proofs of freshness that a stream or a list asks for.
   *
   * @param maxListed number of objects up to which a proof lists the metadata of all: about 1 MiB.
   *     A larger type is proven by its version, or by a brief watch
   * @param timeout longest wait for the events that lead to the listed state
   * @param catchUpTime longest wait for a version that a changing type reaches within milliseconds;
   *     a type that has not changed for this long is not waited for
   * @param listInterval average interval between the lists of a type while requests keep asking.
   *     Two may follow each other sooner, so that one request, or one crowd, does not wait
   * @param minListInterval minimum interval between two successive lists. Requests that arrive
   *     during the first list share the second one
   * @param versionInterval shortest interval between the proofs of a larger type
   */
  public record FreshnessProofs(
      int maxListed,
      Duration timeout,
      Duration catchUpTime,
      Duration listInterval,
      Duration minListInterval,
      Duration versionInterval) {
    public static final int DEFAULT_MAX_LISTED = 2_000;

    static final FreshnessProofs DEFAULTS =
        new FreshnessProofs(
            DEFAULT_MAX_LISTED,
            /* timeout= */ Duration.ofSeconds(3),
            /* catchUpTime= */ Duration.ofMillis(500),
            /* listInterval= */ Duration.ofMillis(350),
            /* minListInterval= */ Duration.ofMillis(150),
            /* versionInterval= */ Duration.ofMillis(40));

    public FreshnessProofs withMaxListed(int objects) {
      return new FreshnessProofs(
          objects, timeout, catchUpTime, listInterval, minListInterval, versionInterval);
    }
  }

  /** Objects that cannot be read and are skipped. */
  static final class Skipped {
    /**
     * Maximum number of remembered keys of each type: bounds the memory of a type with many broken
     * objects.
     */
    static final int MAX_KEYS = 10_000;

    /**
     * Maximum number of retries per {@link #RETRIES_EVERY} for events that do not identify their
     * object.
     */
    static final int MAX_RETRIES = 2;

    /** Interval for which retries are counted. */
    static final Duration RETRIES_EVERY = Duration.ofMinutes(10);

    /** Minimum interval between two lines of the log about one type. */
    static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

    private Skipped() {}
  }

  /** Returns the defaults for a heap of {@code maxHeap} bytes. */
  public static CacheSettings forHeap(long maxHeap) {
    return new CacheSettings(
        new History(
            Duration.ofMinutes(History.DEFAULT_AGE_MINUTES),
            /* bytes= */ Math.clamp(maxHeap / 8, 1L << 20, 64L << 20),
            /* laggardBytes= */ Math.clamp(maxHeap / 8, 1L << 20, 128L << 20)),
        new States(
            maxHeap,
            /* perType= */ maxHeap / 2,
            /* total= */ maxHeap / 100 * States.HEAP_PERCENT,
            /* refusedFor= */ Duration.ofMinutes(1)),
        new Retries(
            /* base= */ Duration.ofMillis(500),
            /* cap= */ Duration.ofSeconds(30),
            /* markerTimeout= */ Duration.ofSeconds(60),
            /* streamingListPause= */ Duration.ofHours(1)),
        new Checks(
            Duration.ofSeconds(DEFAULT_PROBE_SECONDS),
            Duration.ofMinutes(DEFAULT_SELF_CHECK_MINUTES),
            FreshnessProofs.DEFAULTS),
        Duration.ofSeconds(DEFAULT_UNUSED_AFTER_SECONDS),
        ManagedFields.KEPT);
  }

  public CacheSettings withHistory(Duration age, long bytes) {
    return with(new History(age, bytes, history.laggardBytes));
  }

  public CacheSettings withLaggardBytes(long bytes) {
    return with(new History(history.age, history.bytes, bytes));
  }

  public CacheSettings withProbeEvery(Duration duration) {
    return with(new Checks(duration, checks.selfCheckEvery, checks.freshness));
  }

  public CacheSettings withSelfCheckEvery(Duration duration) {
    return with(new Checks(checks.probeEvery, duration, checks.freshness));
  }

  public CacheSettings withMaxListed(int objects) {
    return with(
        new Checks(
            checks.probeEvery, checks.selfCheckEvery, checks.freshness.withMaxListed(objects)));
  }

  private CacheSettings with(History other) {
    return new CacheSettings(other, states, retries, checks, unusedAfter, managedFields);
  }

  public CacheSettings with(States other) {
    return new CacheSettings(history, other, retries, checks, unusedAfter, managedFields);
  }

  public CacheSettings with(Retries other) {
    return new CacheSettings(history, states, other, checks, unusedAfter, managedFields);
  }

  private CacheSettings with(Checks other) {
    return new CacheSettings(history, states, retries, other, unusedAfter, managedFields);
  }

  public CacheSettings withUnusedAfter(Duration duration) {
    return new CacheSettings(history, states, retries, checks, duration, managedFields);
  }

  public CacheSettings withoutManagedFields() {
    return new CacheSettings(history, states, retries, checks, unusedAfter, ManagedFields.DROPPED);
  }
}
