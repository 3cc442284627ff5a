package io.watchgate.cache;

import java.time.Duration;

/**
 * The bounds and waits of caches and their reflectors, in groups.
 *
 * @param probeEvery how often the apiserver is asked how far a type has come, 1 s to 1 min
 * @param selfCheckEvery how often the state is compared with the apiserver's; zero: never
 * @param unusedAfter how long a type that nobody reads stays open; zero: for ever
 */
public record CacheSettings(
    History history,
    States states,
    Retries retries,
    Duration probeEvery,
    Duration selfCheckEvery,
    Duration unusedAfter,
    ManagedFields managedFields) {

  /** What becomes of metadata.managedFields, often the half of an object, when it arrives. */
  public enum ManagedFields {
    KEPT,
    DROPPED
  }

  /**
   * How much of the past is kept, for each type.
   *
   * @param age how far back a position may reach, 1 min to 24 h
   * @param bytes the same in bytes, 1 MiB to 8 GiB; whichever ends first. All types together have
   *     no more than the {@link HeapBudget} leaves them
   * @param laggardBytes what readers behind history may keep alive, 16 MiB to 8 GiB; the same
   */
  public record History(Duration age, long bytes, long laggardBytes) {}

  /**
   * How much of the present may be held.
   *
   * @param heap the most bytes that Java may use; what all parts may hold follows from it ({@link
   *     HeapBudget})
   * @param perType the most bytes that the state of one type may occupy
   * @param total the most bytes that the states of all types may occupy
   * @param refusedFor how long a type that was too large is not tried again
   */
  public record States(long heap, long perType, long total, Duration refusedFor) {}

  /**
   * When what failed is tried again.
   *
   * @param base the first wait after a failure lies between zero and this, and doubles
   * @param cap the longest wait
   * @param marker how long a streaming list may take before the paged list is used instead
   * @param streamingList how long the paged list is used before a streaming list is tried again
   */
  public record Retries(Duration base, Duration cap, Duration marker, Duration streamingList) {}

  /** The defaults, for a heap of that many bytes. */
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

  public CacheSettings withBackoff(Duration base, Duration cap) {
    return new CacheSettings(
        history,
        states,
        new Retries(base, cap, retries.marker, retries.streamingList),
        probeEvery,
        selfCheckEvery,
        unusedAfter,
        managedFields);
  }

  /** With other waits for streaming lists. */
  public CacheSettings withStreamingLists(Duration marker, Duration streamingList) {
    return new CacheSettings(
        history,
        states,
        new Retries(retries.base, retries.cap, marker, streamingList),
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
