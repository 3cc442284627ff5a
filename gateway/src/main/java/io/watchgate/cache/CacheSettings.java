package io.watchgate.cache;

import java.time.Duration;

/**
 * The bounds and waits of a cache and its reflector.
 *
 * @param historyAge how far back a position may reach, 1 min to 24 h
 * @param historyBytes the same in bytes a type, 1 MiB to 8 GiB
 * @param laggardBytes what readers behind history may keep alive a type, 16 MiB to 8 GiB
 * @param stateBytes the most that the state of one type may occupy
 * @param totalStateBytes the most that the states of all types may occupy
 * @param unusedAfter how long a type that nobody reads stays open; zero: for ever
 * @param backoffBase the first wait after a failure lies between zero and this, and doubles
 * @param backoffCap the longest wait
 * @param markerTimeout how long a streaming list may take before the paged list is used instead
 * @param streamingListRetry how long the paged list is used before a streaming list is tried again
 * @param tooLargeFor how long a type that was too large is not tried again
 */
public record CacheSettings(
    Duration historyAge,
    long historyBytes,
    long laggardBytes,
    long stateBytes,
    long totalStateBytes,
    Duration unusedAfter,
    Duration backoffBase,
    Duration backoffCap,
    Duration markerTimeout,
    Duration streamingListRetry,
    Duration tooLargeFor) {

  /** The defaults, for a heap of that many bytes. */
  public static CacheSettings forHeap(long maxHeap) {
    return new CacheSettings(
        Duration.ofMinutes(10),
        64L << 20,
        128L << 20,
        maxHeap / 2,
        maxHeap / 10 * 6,
        Duration.ofMinutes(5),
        Duration.ofMillis(500),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        Duration.ofHours(1),
        Duration.ofMinutes(5));
  }

  public CacheSettings withHistory(Duration age, long bytes) {
    return new CacheSettings(
        age,
        bytes,
        laggardBytes,
        stateBytes,
        totalStateBytes,
        unusedAfter,
        backoffBase,
        backoffCap,
        markerTimeout,
        streamingListRetry,
        tooLargeFor);
  }

  public CacheSettings withLaggardBytes(long bytes) {
    return new CacheSettings(
        historyAge,
        historyBytes,
        bytes,
        stateBytes,
        totalStateBytes,
        unusedAfter,
        backoffBase,
        backoffCap,
        markerTimeout,
        streamingListRetry,
        tooLargeFor);
  }

  public CacheSettings withBackoff(Duration base, Duration cap) {
    return new CacheSettings(
        historyAge,
        historyBytes,
        laggardBytes,
        stateBytes,
        totalStateBytes,
        unusedAfter,
        base,
        cap,
        markerTimeout,
        streamingListRetry,
        tooLargeFor);
  }

  public CacheSettings withUnusedAfter(Duration duration) {
    return new CacheSettings(
        historyAge,
        historyBytes,
        laggardBytes,
        stateBytes,
        totalStateBytes,
        duration,
        backoffBase,
        backoffCap,
        markerTimeout,
        streamingListRetry,
        tooLargeFor);
  }
}
