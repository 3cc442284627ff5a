package io.watchgate.e2e.promises;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.proxy.Damage.Edit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Wrong turns of a watch, each after some events that were right. */
final class Edits {
  private static final int RIGHT = 3;

  private static final Pattern IDENTIFYING =
      Pattern.compile("\"(name|namespace|uid|resourceVersion)\":\"([a-zA-Z0-9])");

  private Edits() {}

  /** As the apiserver words a refusal. */
  static String status(int code, String reason) {
    return """
    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a test",\
    "reason":"%s","code":%d}\
    """
        .formatted(reason, code);
  }

  /** After some lines, once, others in the place of one. */
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
                event("MODIFIED", "{\"metadata\":{\"namespace\":\"odd\",\"name\":\"odd\"},\"x\":]}")));
  }

  static Edit ofNoObject() {
    return afterSome(line -> List.of(line, event("MODIFIED", "{\"metadata\":null}")));
  }

  static Edit bookmarkWithoutVersion() {
    return afterSome(line -> List.of(line, event("BOOKMARK", "{\"metadata\":{}}")));
  }

  /** The first character of each, in all lines. */
  static Edit escapes() {
    return line ->
        List.of(
            IDENTIFYING
                .matcher(line)
                .replaceAll(
                    found ->
                        Matcher.quoteReplacement(
                            "\"%s\":\"\\u%04x"
                                .formatted(found.group(1), (int) found.group(2).charAt(0)))));
  }

  static Edit twice() {
    return afterSome(line -> List.of(line, line));
  }

  /** An event of an object after a later one of the same. */
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
}
