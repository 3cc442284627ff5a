package io.watchgate.fanout;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.Upstream;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Cache that follows the truth with random delays. Used by one thread, that of the writer. */
final class TruthCache {
  final CacheWriter writer;
  private final Truth truth;
  private final Random random;
  private Truth.Timeline timeline;
  private long at;

  /** Version of the first list, or of the last list that went back. */
  private long beginning;

  /** Later lists: between the key and the value, both excluded, the changes are unknown. */
  private final NavigableMap<Long, Long> gaps = new TreeMap<>();

  TruthCache(Truth truth, CacheSettings settings, TimeSource time, Random random) {
    this.truth = truth;
    this.random = random;
    this.writer = new CacheWriter(settings, time);
    this.timeline = truth.current();
  }

  /** Returns the history that this cache follows. */
  Truth.Timeline timeline() {
    return timeline;
  }

  boolean isOpen() {
    return writer.cache().head() != null;
  }

  /** Returns whether history here contains a version. */
  boolean canResume(ResourceVersion version) {
    Revision oldest = writer.cache().oldest();
    long number = Long.parseLong(version.digits());
    Map.Entry<Long, Long> gap = gaps.lowerEntry(number);
    return oldest != null
        && !oldest.version().isAfter(version)
        && number >= beginning
        && number <= at
        && (gap == null || gap.getValue() <= number);
  }

  /** Receives a random part from the apiserver. */
  void step() {
    if (!isOpen() || timeline != truth.current() || random.nextInt(25) == 0) {
      list();
    } else if (random.nextInt(6) == 0) {
      bookmark();
    } else {
      event();
    }
  }

  /** Receives everything from the apiserver. */
  void catchUp() {
    if (!isOpen() || timeline != truth.current()) {
      list();
    }
    while (timeline.events.higherEntry(at) != null) {
      event();
    }
    at = timeline.now;
    writer.bookmark(at);
  }

  private void list() {
    Truth.Timeline newest = truth.current();
    if (isOpen() && newest != timeline && newest.now == at) {
      return; // two states of one version, which no client can distinguish
    }
    boolean first = !isOpen();
    long before = at;
    timeline = newest;
    at = newest.now;
    Revision.Kind kind = writer.list(at, newest.at(at).objects().values());
    if (first || kind == Revision.Kind.HISTORY_LOST) {
      beginning = at;
      gaps.clear();
    } else {
      gaps.put(before, at);
    }
  }

  private void bookmark() {
    Long next = timeline.events.higherKey(at);
    long most = next == null ? timeline.now : next - 1;
    at += random.nextLong(most - at + 1);
    writer.bookmark(at);
  }

  private void event() {
    Map.Entry<Long, Truth.Event> next = timeline.events.higherEntry(at);
    if (next == null) {
      return;
    }
    at = next.getKey();
    SampleObject old = next.getValue().old();
    SampleObject now = next.getValue().now();
    if (now != null) {
      writer.event(old == null ? Upstream.EventType.ADDED : Upstream.EventType.MODIFIED, now);
    } else if (old != null) {
      writer.delete(old, at);
    }
  }
}
