package io.watchgate.select;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Writer of objects as JSON in the many forms of the same value. */
final class RandomObject {
  private final Random random;

  RandomObject(Random random) {
    this.random = random;
  }

  /**
   * Returns a widget.
   *
   * @param spec literals and strings as JSON
   */
  KubeObject widget(
      String namespace,
      String name,
      Map<String, String> labels,
      Map<String, String> spec,
      FieldPaths paths) {
    return object(namespace, name, labels, Map.of("spec", object(spec)), paths);
  }

  /** Returns an object of members that are JSON. */
  String object(Map<String, String> members) {
    return members.entrySet().stream()
        .map(member -> member(member.getKey(), member.getValue()))
        .collect(Collectors.joining("," + space(), "{", "}"));
  }

  /**
   * Returns an object of any type.
   *
   * @param members members beside metadata, as JSON
   */
  KubeObject object(
      String namespace,
      String name,
      Map<String, String> labels,
      Map<String, String> members,
      FieldPaths paths) {
    String metadata =
        member("name", '"' + name + '"')
            + (namespace.isEmpty() ? "" : "," + member("namespace", '"' + namespace + '"'))
            + ","
            + member("uid", "\"u\"")
            + ","
            + member("resourceVersion", "\"1\"");
    if (!labels.isEmpty() || random.nextBoolean()) {
      metadata +=
          ","
              + member(
                  "labels",
                  labels.entrySet().stream()
                      .map(
                          label ->
                              string(label.getKey()) + space() + ":" + string(label.getValue()))
                      .collect(Collectors.joining("," + space(), "{", "}")));
    }
    Map<String, String> all = new LinkedHashMap<>(members);
    all.put("metadata", "{" + metadata + "}");
    String json = object(all);
    try {
      return KubeObject.read(json.getBytes(StandardCharsets.UTF_8), paths);
    } catch (JsonException e) {
      throw new IllegalStateException(json, e);
    }
  }

  private String member(String name, String value) {
    return '"' + name + '"' + space() + ":" + space() + value;
  }

  private String space() {
    return random.nextInt(5) == 0 ? " \n" : "";
  }

  /** Returns a JSON string, with escapes where they are required and where they are allowed. */
  String string(String text) {
    StringBuilder json = new StringBuilder("\"");
    boolean plain = random.nextBoolean();
    text.codePoints()
        .forEach(
            c -> {
              if (c < ' ' || (!plain && random.nextInt(4) == 0)) {
                for (char unit : Character.toChars(c)) {
                  json.append("\\u%04x".formatted((int) unit));
                }
              } else if (c == '"' || c == '\\' || (c == '/' && !plain)) {
                json.append('\\').appendCodePoint(c);
              } else {
                json.appendCodePoint(c);
              }
            });
    return json.append('"').toString();
  }
}
