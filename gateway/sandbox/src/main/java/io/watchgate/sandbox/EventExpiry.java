package io.watchgate.sandbox;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Expiry queue of events. An event expires some time after its last write ({@link
 * SandboxSettings#eventTimeToLive}). The queue has one entry for each stored event. Used with the
 * store's lock held.
 */
final class EventExpiry {
  private final TimeSource time;
  private final Duration timeToLive;

  /** Times of the last write in nanoseconds, oldest first. */
  private final Map<Key, Long> lastWrites = new LinkedHashMap<>();

  EventExpiry(TimeSource time, Duration timeToLive) {
    this.time = time;
    this.timeToLive = timeToLive;
  }

  /** Key of an event. */
  record Key(String namespace, String name) {}

  void touch(String namespace, String name) {
    Key key = new Key(namespace, name);
    lastWrites.remove(key);
    lastWrites.put(key, time.nanoTime());
  }

  void remove(String namespace, String name) {
    lastWrites.remove(new Key(namespace, name));
  }

  /**
   * Returns the events that have expired. They stay in the queue until {@link #remove} is called.
   */
  List<Key> due() {
    long now = time.nanoTime();
    return lastWrites.entrySet().stream()
        .takeWhile(write -> now - write.getValue() >= timeToLive.toNanos())
        .map(Map.Entry::getKey)
        .toList();
  }
}
