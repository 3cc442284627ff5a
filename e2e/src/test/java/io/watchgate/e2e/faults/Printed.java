package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@code watchgate watch -o json} has printed. */
record Printed(List<DirectEvent> events) {

  /** Fails on a line that is no event: stdout is data only. */
  static Printed of(List<String> lines) {
    return new Printed(lines.stream().map(Printed::event).toList());
  }

  private static DirectEvent event(String line) {
    JsonNode parsed = Json.parse(line);
    return new DirectEvent(
        DirectEvent.Change.valueOf(parsed.get("type").textValue()), parsed.get("object"));
  }

  /** {@code namespace/name} and the object, as whoever reads along holds it. */
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

  /** Whether this very state of the object was printed. */
  boolean has(String key, long version) {
    return events.stream().anyMatch(e -> e.key().equals(key) && e.resourceVersion() == version);
  }

  /** Whether something newer of the object was printed, or it is gone by what was printed. */
  boolean isPast(String key, long version) {
    return !state().containsKey(key)
        || events.stream().anyMatch(e -> e.key().equals(key) && e.resourceVersion() > version);
  }
}
