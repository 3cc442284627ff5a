package io.watchgate.cli.output;

import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import io.watchgate.table.TypeColumns.Width;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Output with a row for each event, below one header. */
public final class TableOutput implements EventOutput {
  /** Columns before the columns of the type. */
  public enum Extra {
    EVENT,
    NAMESPACE
  }

  private final OutputStream out;
  private final InstantSource clock;
  private final Set<Extra> extras;
  private final Width width;
  private final RowStyle style;
  private final Function<JsonView, TypeColumns> columns;
  private final TextTable table = new TextTable();
  private @Nullable Layout layout;

  /** Columns chosen by the first object: cluster-scoped types have no NAMESPACE. */
  private record Layout(TypeColumns columns, Set<Extra> extras, Width width) {
    List<String> header() {
      List<String> names = new ArrayList<>(extras.stream().sorted().map(Extra::name).toList());
      names.addAll(columns.header(width));
      return names;
    }

    List<String> row(WatchEvent event, JsonView object, Instant now) {
      List<String> row = new ArrayList<>();
      if (extras.contains(Extra.EVENT)) {
        row.add(RowStyle.name(event.getType()));
      }
      if (extras.contains(Extra.NAMESPACE)) {
        row.add(event.getKey().getNamespace());
      }
      row.addAll(columns.texts(event.getKey().getName(), object, now, width));
      row.replaceAll(TerminalEscaper::inLine);
      return row;
    }
  }

  /**
   * Creates a table.
   *
   * @param columns returns the columns for objects like the given one; called once
   */
  public TableOutput(
      OutputStream out,
      InstantSource clock,
      Set<Extra> extras,
      Width width,
      RowStyle style,
      Function<JsonView, TypeColumns> columns) {
    this.out = out;
    this.clock = clock;
    this.extras = Set.copyOf(extras);
    this.width = width;
    this.style = style;
    this.columns = columns;
  }

  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    Instant now = clock.instant();
    boolean first = layout == null;
    for (WatchEvent event : events) {
      JsonView object = JsonView.of(event.getObject().toByteArray());
      Layout decided = layout;
      if (decided == null) {
        decided = decide(event, object);
        layout = decided;
        rows.add(decided.header());
      }
      rows.add(decided.row(event, object, now));
    }
    StringBuilder text = new StringBuilder();
    int header = first && !events.isEmpty() ? 1 : 0;
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
    Set<Extra> shown = EnumSet.noneOf(Extra.class);
    shown.addAll(extras);
    if (first.getKey().getNamespace().isEmpty()) {
      shown.remove(Extra.NAMESPACE);
    }
    if (shown.contains(Extra.EVENT)) {
      // Nearly every watch begins with ADDED only.
      table.reserve("MODIFIED");
    }
    return new Layout(columns.apply(object), shown, width);
  }
}
