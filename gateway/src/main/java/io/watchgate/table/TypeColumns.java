package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.cache.CustomColumn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The columns of one type's table, without EVENT and NAMESPACE. For a server's {@code Table}:
 * {@link #definitions} and {@link #cells}; for a printed one: {@link #header} and {@link #texts}.
 * Immutable; any thread.
 */
public final class TypeColumns {
  private final List<TableColumn> fields;

  /** How much of an object is printed. */
  public enum Width {
    /** Columns of priority 0. */
    NARROW,
    /** All columns. */
    WIDE;

    private boolean shows(ColumnDefinition column) {
      return this == WIDE || column.priority() == 0;
    }
  }

  private TypeColumns(List<TableColumn> fields) {
    this.fields = List.copyOf(fields);
  }

  /**
   * The columns of a built-in type, or NAME and AGE of any other.
   *
   * @param apiVersion with the group: {@code apps/v1}, {@code v1}
   */
  public static TypeColumns of(String apiVersion, String kind) {
    return new TypeColumns(BuiltInColumns.fields(apiVersion, kind));
  }

  /** Whether the type has columns of its own here. */
  public static boolean isBuiltIn(String apiVersion, String kind) {
    return BuiltInColumns.isOne(apiVersion, kind);
  }

  /**
   * The columns of a custom resource; those of a built-in type if there are none, so NAME and AGE
   * of a custom one.
   *
   * @param apiVersion with the group: {@code example.com/v1}
   * @param columns of its definition, in this version
   */
  public static TypeColumns of(String apiVersion, String kind, List<CustomColumn> columns) {
    return columns.isEmpty()
        ? of(apiVersion, kind)
        : new TypeColumns(CustomResourceColumns.of(columns));
  }

  /** The columns for objects like this one. */
  public static TypeColumns of(JsonView object) {
    return of(object.get("apiVersion").text(), object.get("kind").text());
  }

  public List<ColumnDefinition> definitions() {
    return fields.stream().map(TableColumn::column).toList();
  }

  /** One for each of {@link #definitions}: text, a number or a boolean, or null for nothing. */
  public List<JsonElement> cells(JsonView object, Instant now) {
    List<JsonElement> cells = new ArrayList<>(fields.size());
    for (TableColumn field : fields) {
      cells.add(field.value().of(object, now));
    }
    return cells;
  }

  public List<String> header(Width width) {
    return fields.stream()
        .map(TableColumn::column)
        .filter(width::shows)
        .map(column -> column.name().toUpperCase(Locale.ROOT))
        .toList();
  }

  /**
   * The printed cells.
   *
   * @param name the object's, also where nothing else is known of it
   * @param object may lack anything: of one that was never created, because only its identity was
   *     sent, every cell but the name is {@code <unknown>}
   */
  public List<String> texts(String name, JsonView object, Instant now, Width width) {
    boolean known = object.get("metadata", "creationTimestamp").exists();
    List<String> texts = new ArrayList<>(fields.size());
    for (TableColumn field : fields) {
      if (!width.shows(field.column())) {
        continue;
      }
      if (field.column().format().equals("name")) {
        texts.add(name);
      } else {
        texts.add(known ? text(field.value().of(object, now)) : Age.UNKNOWN);
      }
    }
    return texts;
  }

  /** As kubectl prints a cell: nothing for null, and of several lines the first. */
  private static String text(JsonElement cell) {
    if (cell instanceof JsonNull) {
      return "";
    }
    String text = cell.getAsString();
    for (int i = 0; i < text.length(); i++) {
      if ("\f\n\r".indexOf(text.charAt(i)) >= 0) {
        return text.substring(0, i) + "...";
      }
    }
    return text;
  }
}
