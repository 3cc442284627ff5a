package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Events have other names for their parts in the group events.k8s.io than in the core group. */
final class EventConverter {
  /** By the name in the core group. */
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

  /** Of the group events.k8s.io. */
  static final VersionConverter NEW =
      new VersionConverter(EventConverter::toNew, event -> renamed(event, OLDER));

  private EventConverter() {}

  /** Leaves out what the core group writes though it is empty. */
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
