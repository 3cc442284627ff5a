package io.watchgate.cli.output;

import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** Columns of a table of one type, which its first object decides. */
public record TableLayout(TypeColumns columns, TableShape shape) {
  /**
   * Returns the layout for objects like the first one; cluster-scoped types have no NAMESPACE.
   *
   * @param columns returns the columns for objects like the given one; may block
   */
  public static TableLayout of(
      WatchEvent first, TableShape shape, Function<JsonView, TypeColumns> columns) {
    return new TableLayout(
        columns.apply(object(first)),
        first.getKey().getNamespace().isEmpty() ? shape.without(Extra.NAMESPACE) : shape);
  }

  /** Returns the body of an event's object. */
  public static JsonView object(WatchEvent event) {
    return JsonView.of(event.getObject().toByteArray());
  }

  /** Returns the names of the columns. */
  public List<String> names() {
    return shape.names(columns);
  }

  /** Returns the cells of an object's row, safe to print on a terminal. */
  public List<String> row(WatchEvent event, Instant now) {
    return shape.row(columns, event, object(event), now);
  }
}
