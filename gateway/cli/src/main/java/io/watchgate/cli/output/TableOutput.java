package io.watchgate.cli.output;

import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.cli.output.TableShape.Header;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Output with a row for each event. Each type has columns of its own; their header is printed
 * whenever rows of another type were printed before.
 */
public final class TableOutput implements EventOutput {
  private final OutputStream out;
  private final InstantSource clock;
  private final TableShape shape;
  private final RowStyle style;
  private final Function<JsonView, TypeColumns> columns;
  private final Map<String, Section> sections = new HashMap<>();
  private @Nullable Section last;

  /** Rows of one type. */
  private record Section(TableLayout layout, TextTable table) {}

  /**
   * Creates a table.
   *
   * @param columns returns the columns for objects like the given one; called once for each type
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

  /** Writes rows of one type. */
  @Override
  public void write(Part part, List<WatchEvent> events) throws IOException {
    StringBuilder text = new StringBuilder();
    List<List<String>> rows = new ArrayList<>();
    String type = type(events.getFirst());
    Section section = sections.get(type);
    if (section == null) {
      section = section(events.getFirst());
      text.append(sections.isEmpty() ? "" : "\n");
      sections.put(type, section);
    }
    int header = !section.equals(last) && shape.header() == Header.PRINTED ? 1 : 0;
    last = section;
    if (header > 0) {
      rows.add(section.layout.names());
    }
    for (WatchEvent event : events) {
      rows.add(section.layout.row(event, clock.instant()));
    }
    List<String> lines = section.table.format(rows);
    for (int i = 0; i < lines.size(); i++) {
      text.append(
              i < header
                  ? style.header(lines.get(i))
                  : style.row(part, events.get(i - header).getType(), lines.get(i)))
          .append('\n');
    }
    EventOutput.print(out, text);
  }

  /** Returns the key of the event's section: its type, or empty if the table has only one type. */
  private String type(WatchEvent event) {
    if (!shape.extras().contains(Extra.KIND)) {
      return "";
    }
    JsonView object = TableLayout.object(event);
    return object.get("apiVersion").text() + " " + object.get("kind").text();
  }

  private Section section(WatchEvent first) {
    TableLayout layout = TableLayout.of(first, shape, columns);
    TextTable table = new TextTable();
    if (layout.shape().extras().contains(Extra.TIME)) {
      table.reserve("2026-01-01T00:00:00.000Z");
    }
    if (layout.shape().extras().contains(Extra.EVENT)) {
      // Nearly every watch begins with ADDED only.
      table.reserve("MODIFIED");
    }
    return new Section(layout, table);
  }
}
