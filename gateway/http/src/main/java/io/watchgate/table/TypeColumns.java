package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import io.watchgate.cache.CustomColumn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Columns of one type's table, without EVENT and NAMESPACE. A server's {@code Table} uses {@link
 * #definitions} and {@link #cells}, a printed table uses {@link #header} and {@link #texts}.
 * Immutable; any thread.
 */
public final class TypeColumns {
  private final List<TableColumn> fields;

  /** Width of a printed table. */
  public enum Width {
    /** Columns of priority 0. */
    NARROW,
    /** All columns. */
    WIDE;

    private boolean includes(ColumnDefinition column) {
      return this == WIDE || column.priority() == 0;
    }
  }

  private TypeColumns(List<TableColumn> fields) {
    this.fields = List.copyOf(fields);
  }

  /**
   * Returns the columns of a built-in type, or NAME and AGE of any other.
   *
   * @param apiVersion with the group: {@code apps/v1}, {@code v1}
   */
  public static TypeColumns of(String apiVersion, String kind) {
    return new TypeColumns(BuiltInColumns.fields(apiVersion, kind));
  }

  /** Returns whether the type has built-in columns. */
  public static boolean hasBuiltInColumns(String apiVersion, String kind) {
    return BuiltInColumns.hasBuiltInColumns(apiVersion, kind);
  }

  /**
   * Returns the columns of a custom resource. If there are none, returns those of a built-in type,
   * or NAME and AGE of any other.
   *
   * @param apiVersion with the group: {@code example.com/v1}
   * @param columns columns of its definition, in this version
   */
  public static TypeColumns of(String apiVersion, String kind, List<CustomColumn> columns) {
    return columns.isEmpty()
        ? of(apiVersion, kind)
        : new TypeColumns(CustomResourceColumns.of(columns));
  }

  /** Returns the columns for objects of the same type. */
  public static TypeColumns of(JsonView object) {
    return of(object.get("apiVersion").text(), object.get("kind").text());
  }

  public List<ColumnDefinition> definitions() {
    return fields.stream().map(TableColumn::column).toList();
  }

  /**
   * Returns one cell for each of {@link #definitions}: text, a number or a boolean, or null for an
   * empty cell.
   */
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
        .filter(width::includes)
        .map(column -> column.name().toUpperCase(Locale.ROOT))
        .toList();
  }

  /**
   * Returns the printed cells.
   *
   * @param name name of the object, also if nothing else of it is known
   * @param object may lack any member. If the object has no creation time, because only its
   *     identity was sent, every cell but the name is {@code <unknown>}
   */
  public List<String> texts(String name, JsonView object, Instant now, Width width) {
    boolean known = object.get("metadata", "creationTimestamp").exists();
    List<String> texts = new ArrayList<>(fields.size());
    for (TableColumn field : fields) {
      if (!width.includes(field.column())) {
        continue;
      }
      if (field.column().format().equals("name")) {
        texts.add(name);
      } else {
        texts.add(known ? text(field.value().of(object, now)) : CellText.UNKNOWN);
      }
    }
    return texts;
  }

  /** Returns a cell as kubectl prints it: empty for null, and the first line of several. */
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
