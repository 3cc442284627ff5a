package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import io.watchgate.cache.CustomColumn;
import io.watchgate.jsonpath.JsonPath;
import io.watchgate.jsonpath.JsonPathException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Columns of custom resources, as an apiserver derives them from {@code additionalPrinterColumns}
 * (1.36, apiextensions-apiserver, tableconvertor). If a path is invalid, or a value has another
 * type, only the cells of that column are empty.
 */
final class CustomResourceColumns {
  private static final String NO_TIME = "<invalid>";

  private CustomResourceColumns() {}

  /** Returns the name column, then these columns. */
  static List<TableColumn> of(List<CustomColumn> columns) {
    List<TableColumn> fields = new ArrayList<>();
    fields.add(TableColumn.name());
    columns.forEach(column -> fields.add(field(column)));
    return fields;
  }

  private static TableColumn field(CustomColumn column) {
    String description =
        column.description().isEmpty()
            ? "Custom resource definition column (in JSONPath format): " + column.jsonPath()
            : column.description();
    return new TableColumn(
        new ColumnDefinition(
            column.name(), column.type(), column.format(), description, column.priority()),
        path(column.jsonPath())
            .<TableColumn.Value>map(path -> (object, now) -> cell(path, column.type(), object, now))
            .orElse((object, now) -> JsonNull.INSTANCE));
  }

  private static Optional<JsonPath> path(String text) {
    try {
      return Optional.of(JsonPath.parse(text));
    } catch (JsonPathException e) {
      return Optional.empty();
    }
  }

  private static JsonElement cell(JsonPath path, String type, JsonView object, Instant now) {
    JsonElement document = object.element();
    List<JsonElement> found = document == null ? List.of() : path.find(document);
    if (found.isEmpty() || found.getFirst().isJsonNull()) {
      return JsonNull.INSTANCE;
    }
    JsonElement value = found.getFirst();
    @Nullable JsonPrimitive simple = value instanceof JsonPrimitive primitive ? primitive : null;
    return switch (type) {
      case "string" -> new JsonPrimitive(JsonPath.text(value));
      case "integer" -> simple != null && simple.isNumber() ? integer(simple) : JsonNull.INSTANCE;
      case "number" -> simple != null && simple.isNumber() ? simple : JsonNull.INSTANCE;
      case "boolean" -> simple != null && simple.isBoolean() ? simple : JsonNull.INSTANCE;
      case "date" ->
          simple != null && simple.isString()
              ? new JsonPrimitive(since(simple.getAsString(), now))
              : JsonNull.INSTANCE;
      default -> JsonNull.INSTANCE;
    };
  }

  /** Returns the integer part. */
  private static JsonElement integer(JsonPrimitive number) {
    try {
      return new JsonPrimitive(number.getAsBigDecimal().longValue());
    } catch (NumberFormatException e) {
      return JsonNull.INSTANCE;
    }
  }

  private static String since(String text, Instant now) {
    if (text.isEmpty()) {
      return CellText.UNKNOWN;
    }
    try {
      return HumanDuration.since(Optional.of(Instant.parse(text)), now);
    } catch (DateTimeParseException e) {
      return NO_TIME;
    }
  }
}
