package io.watchgate.cli.path;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;

/** A path into a JSON document, see the package. */
public record JsonPath(List<PathStep> steps) {

  public JsonPath {
    steps = List.copyOf(steps);
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
