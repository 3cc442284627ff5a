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
 * Log of the apiserver's events: the state at a cursor, and the events after it. The watch appends,
 * and the comparison consumes.
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
      // Histories are broken only while no writes are made; otherwise the comparison would have no
      // reference.
      lost = "the direct watch itself had to list again, and missed changes";
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

  /** Returns the number of lists of the direct watch. */
  synchronized int lists() {
    return lists;
  }

  /** Returns the versions of the matching objects, by key. */
  synchronized Map<String, Long> newest() {
    return Map.copyOf(newest);
  }

  /** Returns the version of the last event. */
  synchronized long lastVersion() {
    return lastVersion;
  }

  synchronized @Nullable String lost() {
    return lost;
  }

  /** Returns the next event and applies it to the state; null if there is none. */
  synchronized @Nullable DirectEvent take() {
    DirectEvent event = ahead.poll();
    if (event != null) {
      apply(event);
    }
    return event;
  }

  /** Returns the version of the next event, or the largest number if there is none. */
  synchronized long nextVersion() {
    DirectEvent next = ahead.peek();
    return next == null ? Long.MAX_VALUE : next.resourceVersion();
  }

  /** Returns a description of at most {@code limit} next events. */
  synchronized List<String> peek(int limit) {
    return ahead.stream().limit(limit).map(DirectLog::describe).toList();
  }

  /**
   * Returns a description of an event without its object, in the form of {@link
   * ReceivedPart#describe}.
   */
  static String describe(DirectEvent event) {
    return "%s %s %s at %d"
        .formatted(event.change(), event.key(), event.uid(), event.resourceVersion());
  }

  /** Takes all events up to and including {@code version}; returns their number. */
  synchronized int takeUpTo(long version) {
    int taken = 0;
    while (nextVersion() <= version) {
      take();
      taken++;
    }
    return taken;
  }

  /** Returns the matching objects at the cursor, by key. */
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
