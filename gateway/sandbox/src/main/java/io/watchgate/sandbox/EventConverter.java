package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Converter of events between the core group and events.k8s.io, which name the members differently.
 */
final class EventConverter {
  /** Keyed by the name in the core group. */
  private static final Map<String, String> NEWER =
      Map.of(
          "involvedObject", "regarding",
          "message", "note",
          "reportingComponent", "reportingController",
          "source", "deprecatedSource",
          "firstTimestamp", "deprecatedFirstTimestamp",
          "lastTimestamp", "deprecatedLastTimestamp",
          "count", "deprecatedCount");

  private static final Map<String, String> OLDER =
      NEWER.entrySet().stream().collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

  /** Converter for the group events.k8s.io. */
  static final VersionConverter NEW =
      new VersionConverter(EventConverter::toNew, event -> renamed(event, OLDER));

  private EventConverter() {}

  /** Converts an event to events.k8s.io, without the empty members that the core group writes. */
  private static JsonObject toNew(JsonObject event) {
    JsonObject shown = renamed(event, NEWER);
    for (String name : List.of("reportingController", "reportingInstance")) {
      if (JsonTree.text(shown, name).isEmpty()) {
        shown.remove(name);
      }
    }
    JsonTree.defaultTo(shown, "eventTime", (JsonElement) JsonNull.INSTANCE);
    return shown;
  }

  private static JsonObject renamed(JsonObject event, Map<String, String> names) {
    JsonObject result = new JsonObject();
    for (Map.Entry<String, JsonElement> member : event.entrySet()) {
      result.add(names.getOrDefault(member.getKey(), member.getKey()), member.getValue());
    }
    return result;
  }
}
