package io.watchgate.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Output of a client: one object of JSON a line, {@code {"what": …, "key": "shop/web", "value":
 * …}}.
 */
final class ClientOutput {
  private final List<JsonObject> events = new ArrayList<>();
  private final List<String> malformed = new ArrayList<>();
  private final List<String> stderr;

  /** Reads lines of both outputs. */
  ClientOutput(List<String> stdout, List<String> stderr) {
    this.stderr = List.copyOf(stderr);
    for (String line : stdout) {
      read(line);
    }
  }

  private void read(String line) {
    try {
      if (!line.chars().allMatch(character -> character >= ' ' && character <= '~')) {
        malformed.add("a line on stdout has characters that are not printable ASCII");
      } else if (JsonParser.parseString(line) instanceof JsonObject event && event.has("what")) {
        events.add(event);
      } else {
        malformed.add("a line on stdout is no event: " + line);
      }
    } catch (JsonParseException e) {
      malformed.add("a line on stdout is no JSON: " + line);
    }
  }

  /** Returns what is wrong with the form of lines. */
  List<String> malformed() {
    return malformed;
  }

  List<String> stderr() {
    return stderr;
  }

  /** Returns the events: {@code ADDED shop/web}, {@code SYNCED}, {@code ERROR UNAVAILABLE}. */
  List<String> story() {
    return events.stream()
        .map(
            event -> {
              String status =
                  event.get("value") instanceof JsonObject value && what(event).equals("ERROR")
                      ? text(value, "status")
                      : "";
              return (what(event) + " " + text(event, "key") + status).strip();
            })
        .toList();
  }

  /** Returns the values of the errors. */
  List<JsonElement> errors() {
    return events.stream()
        .filter(event -> what(event).equals("ERROR"))
        .map(event -> event.has("value") ? event.get("value") : JsonNull.INSTANCE)
        .toList();
  }

  /** Returns the last value of each object that was not deleted. */
  Map<String, JsonElement> state() {
    Map<String, JsonElement> state = new TreeMap<>();
    for (JsonObject event : events) {
      switch (what(event)) {
        case "ADDED", "MODIFIED" -> state.put(text(event, "key"), event.get("value"));
        case "DELETED" -> state.remove(text(event, "key"));
        default -> {}
      }
    }
    return state;
  }

  private static String what(JsonObject event) {
    return text(event, "what");
  }

  private static String text(JsonObject object, String field) {
    JsonElement value = object.get(field);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }
}
