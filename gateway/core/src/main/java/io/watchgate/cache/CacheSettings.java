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
    BackoffSettings retries,
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
  public record Checks(
      Duration probeEvery, Duration selfCheckEvery, FreshnessProofSettings freshness) {}

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
        BackoffSettings.DEFAULTS,
        new Checks(
            Duration.ofSeconds(DEFAULT_PROBE_SECONDS),
            Duration.ofMinutes(DEFAULT_SELF_CHECK_MINUTES),
            FreshnessProofSettings.DEFAULTS),
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

  public CacheSettings with(BackoffSettings other) {
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
