package io.watchgate.sandbox;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * When events go: a while after they were written last. One entry for each that is there. Used with
 * the store's lock held.
 */
final class EventExpiry {
  private final TimeSource time;
  private final Duration after;

  /** By when they were written last, oldest first; in nanoseconds. */
  private final Map<Key, Long> written = new LinkedHashMap<>();

  EventExpiry(TimeSource time, Duration after) {
    this.time = time;
    this.after = after;
  }

  /** Of an object. */
  record Key(String namespace, String name) {}

  void touched(String namespace, String name) {
    Key key = new Key(namespace, name);
    written.remove(key);
    written.put(key, time.nanoTime());
  }

  void gone(String namespace, String name) {
    written.remove(new Key(namespace, name));
  }

  /** Those whose time is over. They stay here until they are gone. */
  List<Key> due() {
    List<Key> due = new ArrayList<>();
    long now = time.nanoTime();
    for (Iterator<Map.Entry<Key, Long>> entries = written.entrySet().iterator();
        entries.hasNext(); ) {
      Map.Entry<Key, Long> oldest = entries.next();
      if (now - oldest.getValue() < after.toNanos()) {
        break;
      }
      due.add(oldest.getKey());
    }
    return due;
  }
}
