package io.watchgate.jsonpath;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;

/** Path into a JSON document; the package describes the syntax. */
public record JsonPath(List<JsonPathStep> steps) {

  public JsonPath {
    steps = List.copyOf(steps);
  }

  /**
   * Parses a path without braces, {@code .spec.replicas}.
   *
   * @throws JsonPathException if the text is invalid
   */
  public static JsonPath parse(String text) throws JsonPathException {
    TextCursor cursor = new TextCursor(text);
    JsonPath path = new JsonPathParser(cursor).path();
    if (!cursor.isAtEnd()) {
      throw cursor.wrong("the path ends here");
    }
    return path;
  }

  /** Returns the values of the path, in the order of the document; empty if a member is missing. */
  public List<JsonElement> find(JsonElement document) {
    List<JsonElement> places = List.of(document);
    for (JsonPathStep step : steps) {
      List<JsonElement> below = new ArrayList<>();
      for (JsonElement place : places) {
        step.select(place, below::add);
      }
      places = below;
    }
    return places;
  }

  /** Returns a value as kubectl prints it: text without quotation marks, the rest as JSON. */
  public static String text(JsonElement value) {
    return value instanceof JsonPrimitive primitive ? primitive.getAsString() : value.toString();
  }
}
