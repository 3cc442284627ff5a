package io.watchgate.sandbox;

import io.watchgate.cache.CacheSettings;
import java.time.Duration;

/**
 * The bounds of a sandbox.
 *
 * @param caches how much history is kept for each type; what they say of states does not count
 * @param maxBytes the most that the objects of all types may occupy on the heap; beyond it, what
 *     makes them more is refused with 507
 * @param events how long an event stays after it was written last, as {@code --event-ttl} of an
 *     apiserver
 * @param progress how often types that did not change are said to be up to date: a bookmark's
 *     version comes of it
 * @param seed of uids and generated names: the same requests in the same order give the same
 */
public record SandboxSettings(
    CacheSettings caches, long maxBytes, Duration events, Duration progress, long seed) {

  /** The defaults, for a heap of that many bytes. */
  public static SandboxSettings forHeap(long maxHeap, long seed) {
    return new SandboxSettings(
        CacheSettings.forHeap(maxHeap),
        maxHeap / 2,
        Duration.ofHours(1),
        Duration.ofSeconds(30),
        seed);
  }
}
