package io.watchgate.e2e.promises;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.proxy.Damage.Edit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Incorrect changes to a watch's events, each after some correct events. */
final class WatchEdits {
  private static final int RIGHT = 3;

  /** Marker that occurs in no object: the next character is replaced by its escape. */
  private static final String MARK = "#escape#";

  private WatchEdits() {}

  /** Returns a status object with the apiserver's wording. */
  static String status(int code, String reason) {
    return """
    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a test",\
    "reason":"%s","code":%d}\
    """
        .formatted(reason, code);
  }

  /** Replaces one line, after some correct lines. */
  private static Edit afterSome(Function<String, List<String>> wrong) {
    int[] lines = {0};
    return line -> ++lines[0] == RIGHT ? wrong.apply(line) : List.of(line);
  }

  private static String event(String type, String object) {
    return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
  }

  static Edit error(int code, String reason) {
    return afterSome(line -> List.of(line, event("ERROR", status(code, reason))));
  }

  static Edit unknownType() {
    return afterSome(line -> List.of(line, event("STRANGE", "{}")));
  }

  static Edit unreadable() {
    return afterSome(
        line ->
            List.of(
                line,
                event(
                    "MODIFIED",
                    "{\"metadata\":{\"namespace\":\"odd\",\"name\":\"odd\"},\"x\":]}")));
  }

  static Edit ofNoObject() {
    return afterSome(line -> List.of(line, event("MODIFIED", "{\"metadata\":null}")));
  }

  static Edit bookmarkWithoutVersion() {
    return afterSome(line -> List.of(line, event("BOOKMARK", "{\"metadata\":{}}")));
  }

  static Edit twice() {
    return afterSome(line -> List.of(line, line));
  }

  /** Inserts an old event of an object after a later one of the same object. */
  static Edit oldAgain() {
    Map<String, String> first = new HashMap<>();
    int[] repeated = {0};
    return line -> {
      String uid = Json.parse(line).at("/object/metadata/uid").asText("");
      String before = uid.isEmpty() ? null : first.putIfAbsent(uid, line);
      return before == null || repeated[0]++ > 0 ? List.of(line) : List.of(line, before);
    };
  }

  static Edit versionBack() {
    return afterSome(line -> List.of(line, bookmark("1")));
  }

  private static String bookmark(String version) {
    return event(
        "BOOKMARK",
        """
        {"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"%s"}}\
        """
            .formatted(version));
  }

  static Edit earlyBookmark() {
    return afterSome(
        line ->
            List.of(
                line, bookmark(Json.parse(line).at("/object/metadata/resourceVersion").asText())));
  }

  static Edit withoutMarker() {
    return line -> {
      JsonNode event = Json.parse(line);
      if (event.path("type").asText().equals("BOOKMARK")
          && event.at("/object/metadata") instanceof ObjectNode metadata) {
        metadata.remove("annotations");
      }
      return List.of(event.toString());
    };
  }

  static List<String> withoutBookmark(String line) {
    return line.startsWith("{\"type\":\"BOOKMARK\"") ? List.of() : List.of(line);
  }

  /** Escapes the first character of names, versions and labels. */
  static List<String> escaped(String line) {
    JsonNode answer = Json.parse(line);
    mark(answer.path("object"));
    answer.path("items").forEach(WatchEdits::mark);
    return List.of(answer.toString().replace("\"" + MARK, "\"\\u00"));
  }

  private static void mark(JsonNode object) {
    if (object.path("metadata") instanceof ObjectNode metadata) {
      for (String member : List.of("name", "namespace", "uid", "resourceVersion", "labels")) {
        if (metadata.has(member)) {
          metadata.set(member, marked(metadata.get(member)));
        }
      }
    }
  }

  private static JsonNode marked(JsonNode value) {
    if (!(value instanceof ObjectNode labels)) {
      return new TextNode(marked(value.textValue()));
    }
    ObjectNode all = labels.objectNode();
    labels
        .properties()
        .forEach(label -> all.put(marked(label.getKey()), marked(label.getValue().textValue())));
    return all;
  }

  /** Inserts the marker before the first character, if the character may be escaped. */
  private static String marked(String text) {
    return text.matches("[0-9A-Za-z].*")
        ? MARK + "%02x".formatted((int) text.charAt(0)) + text.substring(1)
        : text;
  }

  /** Inserts white space between the tokens. */
  static List<String> spaced(String line) {
    StringBuilder spaced = new StringBuilder();
    boolean inString = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      spaced.append(c);
      if (inString && c == '\\') {
        spaced.append(line.charAt(++i));
      } else if (c == '"') {
        inString = !inString;
      } else if (!inString && (c == ':' || c == ',' || c == '{' || c == '[')) {
        spaced.append(' ');
      }
    }
    return List.of(spaced.toString());
  }
}
