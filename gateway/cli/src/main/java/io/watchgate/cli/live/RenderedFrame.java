package io.watchgate.cli.live;

import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableLayout;
import io.watchgate.cli.output.TableShape.Header;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.output.TextTable;
import io.watchgate.proto.v1.EventType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One picture of a {@link LiveTable}: the lines at the top, as many rows as fit, the last changes.
 */
public final class RenderedFrame {
  private static final Duration FRESH = Duration.ofSeconds(3);
  private static final int MIN_ROWS = 3;
  private static final int MAX_CHANGES = 8;

  /** Lines that one line at the bottom, such as a message, may take. */
  private static final int MAX_WRAPPED = 3;

  private final LiveTable table;
  private final RowStyle style;
  private final Screen.Size size;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();

  /** Style of a line on a terminal. */
  private enum LineStyle {
    PLAIN(""),
    BOLD("1"),
    DIM("2"),
    ADDED("32"),
    CHANGED("35"),
    DELETED("31");

    private final String code;

    LineStyle(String code) {
      this.code = code;
    }

    private String of(String line) {
      return code.isEmpty() ? line : "\033[" + code + "m" + line + "\033[0m";
    }
  }

  private RenderedFrame(LiveTable table, RowStyle style, Screen.Size size, Instant now) {
    this.table = table;
    this.style = style;
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
      LiveTable table,
      RowStyle style,
      List<String> above,
      List<String> below,
      Screen.Size size,
      Instant now) {
    RenderedFrame frame = new RenderedFrame(table, style, size, now);
    frame.draw(above, below);
    return frame.lines.subList(0, Math.min(frame.lines.size(), size.lines()));
  }

  private void draw(List<String> above, List<String> below) {
    above.forEach(line -> add(LineStyle.BOLD, line));
    List<String> bottom = below.stream().flatMap(this::wrapped).toList();
    int room = size.lines() - above.size() - bottom.size() - 2;
    int changes =
        Math.min(table.lastChanges(MAX_CHANGES).size(), Math.max(0, (room - MIN_ROWS) / 2));
    rows(Math.max(MIN_ROWS, room - changes - 1));
    if (changes > 0) {
      lines.add("");
      changes(changes);
    }
    bottom.forEach(line -> add(LineStyle.DIM, line));
  }

  private Stream<String> wrapped(String text) {
    String line = TerminalEscaper.inLine(text);
    int width = size.columns();
    int lines = Math.clamp((line.length() + width - 1) / width, 1, MAX_WRAPPED);
    return IntStream.range(0, lines)
        .mapToObj(i -> line.substring(i * width, i == lines - 1 ? line.length() : (i + 1) * width));
  }

  private void add(LineStyle look, String text) {
    String line = shorten(text);
    lines.add(style == RowStyle.COLORS ? look.of(line) : line);
  }

  private void rows(int room) {
    List<List<String>> cells = new ArrayList<>();
    List<LineStyle> styles = new ArrayList<>();
    TableLayout layout = table.layout();
    int shown = table.size() <= room ? table.size() : room - 1;
    if (layout != null) {
      if (layout.shape().header() == Header.PRINTED) {
        cells.add(layout.names());
        styles.add(LineStyle.BOLD);
      }
      table.rows().values().stream()
          .limit(shown)
          .forEach(
              row -> {
                cells.add(layout.row(row.event(), now));
                boolean fresh = row.changed().plus(FRESH).isAfter(now);
                styles.add(fresh ? LineStyle.CHANGED : LineStyle.PLAIN);
              });
    }
    List<String> aligned = new TextTable().format(TextTable.fitting(cells, size.columns()));
    for (int i = 0; i < aligned.size(); i++) {
      add(styles.get(i), aligned.get(i));
    }
    if (table.size() > shown) {
      add(
          LineStyle.DIM,
          "... and " + (table.size() - shown) + " more; -n and -l of 'watch' show fewer");
    }
  }

  private void changes(int room) {
    List<LiveTable.LastChange> last = table.lastChanges(room);
    for (LiveTable.LastChange change : last) {
      String line =
          RowStyle.sign(change.type())
              + " "
              + (change.name().namespace().isEmpty() ? "" : change.name().namespace() + "/")
              + change.name().name()
              + "  "
              + change.description();
      add(look(change.type()), line);
    }
  }

  private static LineStyle look(EventType type) {
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
