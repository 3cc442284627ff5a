package io.watchgate.cli.output;

import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.cli.output.TableShape.Header;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Output with a row for each event, below one header. */
public final class TableOutput implements EventOutput {
  private final OutputStream out;
  private final InstantSource clock;
  private final TableShape shape;
  private final RowStyle style;
  private final Function<JsonView, TypeColumns> columns;
  private final TextTable table = new TextTable();
  private @Nullable Layout layout;

  /** Columns chosen by the first object: cluster-scoped types have no NAMESPACE. */
  private record Layout(TypeColumns columns, TableShape shape) {}

  /**
   * Creates a table.
   *
   * @param columns returns the columns for objects like the given one; called once
   */
  public TableOutput(
      OutputStream out,
      InstantSource clock,
      TableShape shape,
      RowStyle style,
      Function<JsonView, TypeColumns> columns) {
    this.out = out;
    this.clock = clock;
    this.shape = shape;
    this.style = style;
    this.columns = columns;
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    Instant now = clock.instant();
    int header = 0;
    for (WatchEvent event : events) {
      JsonView object = JsonView.of(event.getObject().toByteArray());
      Layout decided = layout;
      if (decided == null) {
        decided = decide(event, object);
        layout = decided;
        if (shape.header() == Header.PRINTED) {
          rows.add(decided.shape.names(decided.columns));
          header = 1;
        }
      }
      rows.add(decided.shape.row(decided.columns, event, object, now));
    }
    StringBuilder text = new StringBuilder();
    List<String> lines = table.format(rows);
    for (int i = 0; i < lines.size(); i++) {
      text.append(
              i < header
                  ? style.header(lines.get(i))
                  : style.row(part, events.get(i - header).getType(), lines.get(i)))
          .append('\n');
    }
    EventOutput.print(out, text);
  }

  private Layout decide(WatchEvent first, JsonView object) {
    TableShape shown =
        first.getKey().getNamespace().isEmpty() ? shape.without(Extra.NAMESPACE) : shape;
    if (shown.extras().contains(Extra.TIME)) {
      table.reserve("2026-01-01T00:00:00.000Z");
    }
    if (shown.extras().contains(Extra.EVENT)) {
      // Nearly every watch begins with ADDED only.
      table.reserve("MODIFIED");
    }
    return new Layout(columns.apply(object), shown);
  }
}
