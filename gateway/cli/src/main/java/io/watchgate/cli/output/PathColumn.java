package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.jsonpath.JsonPath;
import io.watchgate.table.JsonView;
import java.util.List;
import java.util.stream.Collectors;

/** Column of {@code -o custom-columns=}: a header, and the path to its values. */
public record PathColumn(String header, JsonPath path) {
  static final String MISSING = "<none>";

  /** Returns the values as kubectl prints them: separated by commas, {@code <none>} without any. */
  String text(JsonView object) {
    JsonElement document = object.element();
    List<JsonElement> values = path.find(document == null ? JsonNull.INSTANCE : document);
    return values.isEmpty()
        ? MISSING
        : values.stream().map(JsonPath::text).collect(Collectors.joining(","));
  }
}
