package io.watchgate.cli.live;

import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.output.TextTable;
import io.watchgate.proto.v1.EventType;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One picture of a {@link LiveTable}: the lines at the top, as many rows as fit, the last changes.
 */
public final class RenderedFrame {
  private static final Duration FRESH = Duration.ofSeconds(3);
  private static final int MIN_ROWS = 3;

  private final LiveTable table;
  private final Screen.Size size;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();

  /** Style of a line on a terminal. */
  private enum LineStyle {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    ADDED("32"),
    CHANGED("33"),
    DELETED("31");

    private final String code;

    LineStyle(String code) {
      this.code = code;
    }

    String of(String line) {
      return code.isEmpty() ? line : "\033[" + code + "m" + line + "\033[0m";
    }
  }

  private RenderedFrame(LiveTable table, Screen.Size size, Instant now) {
    this.table = table;
    this.size = size;
    this.now = now;
  }

  /**
   * Renders the picture.
   *
   * @param above lines at the top
   * @param below lines at the bottom, with commands for a second terminal
   * @return lines, at most as many as the terminal has, none wider than the terminal
   */
  public static List<String> render(
      LiveTable table, List<String> above, List<String> below, Screen.Size size, Instant now) {
    RenderedFrame frame = new RenderedFrame(table, size, now);
    frame.draw(above, below);
    return frame.lines.subList(0, Math.min(frame.lines.size(), size.lines()));
  }

  private void draw(List<String> above, List<String> below) {
    above.forEach(line -> lines.add(LineStyle.BOLD.of(shorten(line))));
    int room = size.lines() - above.size() - below.size() - 2;
    int changes = Math.max(0, Math.min(8, (room - MIN_ROWS) / 2));
    rows(Math.max(MIN_ROWS, room - changes - 1));
    if (changes > 0) {
      lines.add("");
      changes(changes);
    }
    below.forEach(line -> lines.add(LineStyle.DIM.of(shorten(line))));
  }

  private void rows(int room) {
    List<List<String>> cells = new ArrayList<>();
    List<LineStyle> styles = new ArrayList<>();
    int fitting = table.size() <= room ? room : room - 1;
    for (Map.Entry<LiveTable.Name, LiveTable.Row> row : table.rows().entrySet()) {
      if (styles.size() == fitting) {
        break;
      }
      JsonView object = JsonView.of(row.getValue().object().toByteArray());
      TypeColumns columns = TypeColumns.of(object);
      if (cells.isEmpty()) {
        cells.add(cells("NAMESPACE", columns.header(TypeColumns.Width.NARROW)));
      }
      cells.add(
          cells(
              row.getKey().namespace(),
              columns.texts(row.getKey().name(), object, now, TypeColumns.Width.NARROW)));
      boolean fresh = row.getValue().changed().plus(FRESH).isAfter(now);
      styles.add(fresh ? LineStyle.CHANGED : LineStyle.PLAIN);
    }
    List<String> aligned = new TextTable().format(cells);
    for (int i = 0; i < aligned.size(); i++) {
      LineStyle style = i == 0 ? LineStyle.BOLD : styles.get(i - 1);
      lines.add(style.of(shorten(aligned.get(i))));
    }
    if (table.size() > styles.size()) {
      lines.add(LineStyle.DIM.of(shorten("... and " + (table.size() - styles.size()) + " more")));
    }
  }

  private static List<String> cells(String namespace, List<String> rest) {
    List<String> cells = new ArrayList<>(rest.size() + 1);
    cells.add(namespace);
    cells.addAll(rest);
    cells.replaceAll(TerminalEscaper::inLine);
    return cells;
  }

  private void changes(int room) {
    List<LiveTable.LastChange> last = table.lastChanges(room);
    for (LiveTable.LastChange change : last) {
      String line =
          RowStyle.sign(change.type())
              + " "
              + change.name().namespace()
              + "/"
              + change.name().name()
              + "  "
              + change.what();
      lines.add(style(change.type()).of(shorten(line)));
    }
    for (int i = last.size(); i < room; i++) {
      lines.add("");
    }
  }

  private static LineStyle style(EventType type) {
    return switch (type) {
      case EVENT_TYPE_ADDED -> LineStyle.ADDED;
      case EVENT_TYPE_DELETED -> LineStyle.DELETED;
      case EVENT_TYPE_MODIFIED, EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> LineStyle.CHANGED;
    };
  }

  /**
   * Escapes and shortens a line: names and messages of the cluster must not control the terminal.
   */
  private String shorten(String text) {
    String line = TerminalEscaper.inLine(text);
    return line.length() <= size.columns() ? line : line.substring(0, size.columns() - 1) + "…";
  }
}
