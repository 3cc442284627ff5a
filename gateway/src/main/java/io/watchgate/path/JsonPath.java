package io.watchgate.path;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;

/** A path into a JSON document, see the package. */
public record JsonPath(List<PathStep> steps) {

  public JsonPath {
    steps = List.copyOf(steps);
  }

  /**
   * Reads a path without braces, {@code .spec.replicas}.
   *
   * @throws PathException where the text is none
   */
  public static JsonPath parse(String text) throws PathException {
    TextCursor cursor = new TextCursor(text);
    JsonPath path = new PathParser(cursor).path();
    if (!cursor.atEnd()) {
      throw cursor.wrong("the path ends here");
    }
    return path;
  }

  /** What it leads to, in the order of the document; nothing where something is missing. */
  public List<JsonElement> find(JsonElement document) {
    List<JsonElement> places = List.of(document);
    for (PathStep step : steps) {
      List<JsonElement> below = new ArrayList<>();
      for (JsonElement place : places) {
        step.from(place, below::add);
      }
      places = below;
    }
    return places;
  }

  /** A value as kubectl prints it: text without quotation marks, the rest as JSON. */
  public static String text(JsonElement value) {
    return value instanceof JsonPrimitive primitive ? primitive.getAsString() : value.toString();
  }
}
