package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Function;

/** Column with the function that computes an object's cell. */
record TableColumn(ColumnDefinition column, Value value) {

  /** Function of a cell's value: text, a number or a boolean; null for an empty cell. */
  @FunctionalInterface
  interface Value {
    JsonElement of(JsonView object, Instant now);
  }

  static TableColumn name() {
    return new TableColumn(
        new ColumnDefinition("Name", "string", "name", "Name of the object.", 0),
        text(object -> object.get("metadata", "name").text()));
  }

  static TableColumn age() {
    return new TableColumn(
        new ColumnDefinition("Age", "string", "", "Time since the object was created.", 0),
        since("metadata", "creationTimestamp"));
  }

  /** Returns a column of texts. */
  static TableColumn of(String name, String description, Function<JsonView, String> text) {
    return of(name, "string", description, text(text));
  }

  /** Returns a column of integers. */
  static TableColumn count(String name, String description, String... path) {
    return of(name, "integer", description, number(path));
  }

  static TableColumn of(String name, String type, String description, Value value) {
    return new TableColumn(new ColumnDefinition(name, type, "", description, 0), value);
  }

  /** Returns the same column for wide tables only. */
  TableColumn wide() {
    return new TableColumn(
        new ColumnDefinition(
            column.name(), column.type(), column.format(), column.description(), 1),
        value);
  }

  static Value text(Function<JsonView, String> text) {
    return (object, now) -> new JsonPrimitive(text.apply(object));
  }

  static Value number(String... path) {
    return (object, now) -> new JsonPrimitive(object.get(path).number());
  }

  /** Returns the value that counts the entries of these maps together. */
  static Value entries(String... maps) {
    return (object, now) ->
        new JsonPrimitive(
            Arrays.stream(maps).mapToInt(map -> object.get(map).fields().size()).sum());
  }

  static Value since(String... path) {
    return (object, now) -> new JsonPrimitive(HumanDuration.since(object.get(path).time(), now));
  }
}
