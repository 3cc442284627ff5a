package io.watchgate.e2e.differential;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectEvent.Change;
import io.watchgate.e2e.kube.DirectWatch;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the apiserver said: the state at a cursor, and the events behind it. The watch appends, the
 * comparison consumes.
 */
final class DirectLog implements DirectWatch.Listener {
  private final ArrayDeque<DirectEvent> ahead = new ArrayDeque<>();
  private final Map<String, JsonNode> atCursor = new TreeMap<>();
  private final Map<String, Long> newest = new HashMap<>();
  private int lists;
  private long lastVersion;
  private @Nullable String lost;

  @Override
  public synchronized void listed(long resourceVersion, List<JsonNode> objects) {
    Map<String, Long> found = new HashMap<>();
    for (JsonNode object : objects) {
      found.put(DirectEvent.keyOf(object), versionOf(object));
    }
    if (lists == 0) {
      objects.forEach(object -> atCursor.put(DirectEvent.keyOf(object), object));
      newest.putAll(found);
    } else if (!found.equals(newest)) {
      // Histories are broken only while the writes rest; else nothing could be said of the gateway.
      lost = "the direct watch itself had to list anew, and missed changes";
    }
    lists++;
  }

  @Override
  public synchronized void changed(DirectEvent event) {
    ahead.add(event);
    lastVersion = event.resourceVersion();
    if (event.change() == Change.DELETED) {
      newest.remove(event.key());
    } else {
      newest.put(event.key(), lastVersion);
    }
  }

  /** How often the direct watch has listed. */
  synchronized int lists() {
    return lists;
  }

  /** The versions of the objects that match now, by key. */
  synchronized Map<String, Long> newest() {
    return Map.copyOf(newest);
  }

  /** The version of the last event. */
  synchronized long lastVersion() {
    return lastVersion;
  }

  synchronized @Nullable String lost() {
    return lost;
  }

  /** The next event, which becomes part of the state; null if there is none. */
  synchronized @Nullable DirectEvent take() {
    DirectEvent event = ahead.poll();
    if (event != null) {
      apply(event);
    }
    return event;
  }

  /** The version of the next event, or the largest number if there is none. */
  synchronized long nextVersion() {
    DirectEvent next = ahead.peek();
    return next == null ? Long.MAX_VALUE : next.resourceVersion();
  }

  /** The next events in words, at most {@code limit}. */
  synchronized List<String> peek(int limit) {
    return ahead.stream().limit(limit).map(DirectLog::describe).toList();
  }

  /** An event without its object, in the words of {@link Heard#describe}. */
  static String describe(DirectEvent event) {
    return "%s %s %s at %d"
        .formatted(event.change(), event.key(), event.uid(), event.resourceVersion());
  }

  /** Takes all events up to and including {@code version}; returns how many. */
  synchronized int takeUpTo(long version) {
    int taken = 0;
    while (nextVersion() <= version) {
      take();
      taken++;
    }
    return taken;
  }

  /** The matching objects at the cursor, by key. */
  synchronized Map<String, JsonNode> state() {
    return new TreeMap<>(atCursor);
  }

  private void apply(DirectEvent event) {
    if (event.change() == Change.DELETED) {
      atCursor.remove(event.key());
    } else {
      atCursor.put(event.key(), event.object());
    }
  }

  static long versionOf(JsonNode object) {
    return Long.parseLong(object.at("/metadata/resourceVersion").textValue());
  }
}
