package io.watchgate.table;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Element of a JSON document, which may be missing. Immutable if the document is not changed. */
public record JsonView(@Nullable JsonElement element) {

  /** Parses a document. If the bytes are not JSON, every element of it is missing. */
  public static JsonView of(byte[] json) {
    try {
      return new JsonView(JsonParser.parseString(new String(json, StandardCharsets.UTF_8)));
    } catch (JsonParseException e) {
      return new JsonView(null);
    }
  }

  public JsonView get(String... path) {
    JsonElement at = element;
    for (String name : path) {
      at = at instanceof JsonObject object ? object.get(name) : null;
    }
    return new JsonView(at);
  }

  public boolean exists() {
    return element != null && !element.isJsonNull();
  }

  public List<JsonView> items() {
    return element instanceof JsonArray array
        ? StreamSupport.stream(array.spliterator(), false).map(JsonView::new).toList()
        : List.of();
  }

  /** Returns the fields of an object, in its order. */
  public Map<String, JsonView> fields() {
    Map<String, JsonView> fields = new LinkedHashMap<>();
    if (element instanceof JsonObject object) {
      object.asMap().forEach((name, value) -> fields.put(name, new JsonView(value)));
    }
    return fields;
  }

  /** Returns the text, or an empty text if there is none. */
  public String text() {
    return element instanceof JsonPrimitive primitive ? primitive.getAsString() : "";
  }

  /** Returns the integer, 0 without one. */
  public int number() {
    try {
      return element instanceof JsonPrimitive primitive ? primitive.getAsInt() : 0;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  public boolean isTrue() {
    return element instanceof JsonPrimitive primitive && primitive.getAsBoolean();
  }

  public Optional<Instant> time() {
    try {
      return exists() ? Optional.of(Instant.parse(text())) : Optional.empty();
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
