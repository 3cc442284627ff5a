package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Output of {@code watchgate watch -o json}. */
record PrintedOutput(List<DirectEvent> events) {

  /** Parses the lines. Fails on a line that is no event, because stdout contains only data. */
  static PrintedOutput of(List<String> lines) {
    return new PrintedOutput(lines.stream().map(PrintedOutput::event).toList());
  }

  private static DirectEvent event(String line) {
    JsonNode parsed = Json.parse(line);
    return new DirectEvent(
        DirectEvent.Change.valueOf(parsed.get("type").textValue()), parsed.get("object"));
  }

  /** Returns the state of a reader of the output: {@code namespace/name} and the object. */
  Map<String, JsonNode> state() {
    Map<String, JsonNode> state = new TreeMap<>();
    for (DirectEvent event : events) {
      if (event.change() == DirectEvent.Change.DELETED) {
        state.remove(event.key());
      } else {
        state.put(event.key(), event.object());
      }
    }
    return state;
  }

  /** Returns whether exactly this version of the object was printed. */
  boolean has(String key, long version) {
    return events.stream().anyMatch(e -> e.key().equals(key) && e.resourceVersion() == version);
  }

  /** Returns whether a newer state of the object, or its deletion, was printed. */
  boolean isPast(String key, long version) {
    return !state().containsKey(key)
        || events.stream().anyMatch(e -> e.key().equals(key) && e.resourceVersion() > version);
  }
}
