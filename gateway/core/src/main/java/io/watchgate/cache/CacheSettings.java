package io.watchgate.cache;

import java.time.Duration;

/**
 * Limits and waits of caches and their reflectors, in groups.
 *
 * @param probeEvery interval of version probes of a type, 1 s to 1 min
 * @param selfCheckEvery interval of self-checks against the apiserver; zero for none
 * @param unusedAfter time for which a type without readers stays open; zero for ever
 */
public record CacheSettings(
    History history,
    States states,
    Retries retries,
    Duration probeEvery,
    Duration selfCheckEvery,
    Duration unusedAfter,
    ManagedFields managedFields) {

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
   * @param laggardBytes maximum of bytes that readers behind history may pin, 16 MiB to 8 GiB; the
   *     {@link HeapBudget} limits all types together
   */
  public record History(Duration age, long bytes, long laggardBytes) {}

  /**
   * Limits of the states.
   *
   * @param heap maximum heap of the JVM; the limits of all parts follow from it ({@link
   *     HeapBudget})
   * @param perType maximum of bytes that the state of one type may occupy
   * @param total maximum of bytes that the states of all types may occupy
   * @param refusedFor time for which a type that was too large is not tried again
   */
  public record States(long heap, long perType, long total, Duration refusedFor) {}

  /**
   * Waits before retries.
   *
   * @param base upper bound of the first wait after a failure, which doubles; the lower bound is
   *     zero
   * @param cap the longest wait
   * @param markerTimeout timeout of a streaming list; after it the paged list is used instead
   * @param streamingListPause time for which the paged list is used before a streaming list is
   *     tried again
   */
  public record Retries(
      Duration base, Duration cap, Duration markerTimeout, Duration streamingListPause) {}

  /** Returns the defaults for a heap of {@code maxHeap} bytes. */
  public static CacheSettings forHeap(long maxHeap) {
    return new CacheSettings(
        new History(
            Duration.ofMinutes(10),
            Math.clamp(maxHeap / 8, 1L << 20, 64L << 20),
            Math.clamp(maxHeap / 8, 1L << 20, 128L << 20)),
        new States(maxHeap, maxHeap / 2, maxHeap / 10 * 6, Duration.ofMinutes(1)),
        new Retries(
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofHours(1)),
        Duration.ofSeconds(10),
        Duration.ofMinutes(10),
        Duration.ofMinutes(5),
        ManagedFields.KEPT);
  }

  public CacheSettings withHistory(Duration age, long bytes) {
    return new CacheSettings(
        new History(age, bytes, history.laggardBytes),
        states,
        retries,
        probeEvery,
        selfCheckEvery,
        unusedAfter,
        managedFields);
  }

  public CacheSettings withLaggardBytes(long bytes) {
    return new CacheSettings(
        new History(history.age, history.bytes, bytes),
        states,
        retries,
        probeEvery,
        selfCheckEvery,
        unusedAfter,
        managedFields);
  }

  public CacheSettings withProbeEvery(Duration duration) {
    return new CacheSettings(
        history, states, retries, duration, selfCheckEvery, unusedAfter, managedFields);
  }

  public CacheSettings withSelfCheckEvery(Duration duration) {
    return new CacheSettings(
        history, states, retries, probeEvery, duration, unusedAfter, managedFields);
  }

  public CacheSettings withUnusedAfter(Duration duration) {
    return new CacheSettings(
        history, states, retries, probeEvery, selfCheckEvery, duration, managedFields);
  }

  public CacheSettings withoutManagedFields() {
    return new CacheSettings(
        history, states, retries, probeEvery, selfCheckEvery, unusedAfter, ManagedFields.DROPPED);
  }
}
