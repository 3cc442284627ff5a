package io.watchgate.sandbox;

import io.watchgate.cache.CacheSettings;
import java.time.Duration;

/**
 * Limits of a sandbox.
 *
 * @param caches history kept for each type; their limits on states do not apply
 * @param maxBytes heap bytes for the objects of all types; a write that would exceed them gets 507
 * @param eventTimeToLive time from an event's last write to its removal, like an apiserver's {@code
 *     --event-ttl}
 * @param progressInterval interval at which unchanged types get the current version, which
 *     bookmarks carry
 * @param seed seed of uids and generated names; the same requests in the same order give the same
 */
public record SandboxSettings(
    CacheSettings caches,
    long maxBytes,
    Duration eventTimeToLive,
    Duration progressInterval,
    long seed) {

  /** Returns the defaults for a heap of {@code maxHeap} bytes. */
  public static SandboxSettings forHeap(long maxHeap, long seed) {
    return new SandboxSettings(
        CacheSettings.forHeap(maxHeap),
        /* maxBytes= */ maxHeap / 2,
        /* eventTimeToLive= */ Duration.ofHours(1),
        /* progressInterval= */ Duration.ofSeconds(30),
        seed);
  }
}
