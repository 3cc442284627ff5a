package io.watchgate.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Fields of an object in a case, read with errors that name it.
 *
 * @param name name of the object, for errors
 */
record CaseFields(JsonObject object, String name) {
  /** Refuses other fields, so that a misspelled expectation does not pass unseen. */
  void allow(String... fields) throws CaseFormatException {
    Set<String> known = Set.of(fields);
    for (String field : object.keySet()) {
      if (!known.contains(field)) {
        throw new CaseFormatException(
            "%s has the unknown field \"%s\"; it may have %s"
                .formatted(name, field, String.join(", ", fields)));
      }
    }
  }

  String text(String field, String otherwise) throws CaseFormatException {
    return object.has(field) ? text(object.get(field), field) : otherwise;
  }

  private String text(JsonElement value, String field) throws CaseFormatException {
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    throw new CaseFormatException("%s: \"%s\" is not a text: %s".formatted(name, field, value));
  }

  List<String> texts(String field) throws CaseFormatException {
    List<String> texts = new ArrayList<>();
    for (JsonElement element : array(field)) {
      texts.add(text(element, field));
    }
    return List.copyOf(texts);
  }

  /** Returns an array, empty if the field is missing. */
  JsonArray array(String field) throws CaseFormatException {
    if (!object.has(field)) {
      return new JsonArray();
    }
    if (object.get(field) instanceof JsonArray array) {
      return array;
    }
    throw new CaseFormatException("%s: \"%s\" is not an array".formatted(name, field));
  }

  /** Returns an object, empty if the field is missing. */
  JsonObject object(String field) throws CaseFormatException {
    return object.has(field)
        ? asObject(object.get(field), name + ": \"" + field + "\"")
        : new JsonObject();
  }

  static JsonObject asObject(JsonElement value, String name) throws CaseFormatException {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw new CaseFormatException(name + " is not an object: " + value);
  }

  /** Returns a duration as protobuf writes it: {@code 1.5s}. */
  Duration duration(String field) throws CaseFormatException {
    String text = text(field, "");
    try {
      return Duration.parse("PT" + text);
    } catch (DateTimeParseException e) {
      throw new CaseFormatException(
          "%s: \"%s\" is no duration such as 1.5s: %s".formatted(name, field, text));
    }
  }
}
