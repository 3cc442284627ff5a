package io.watchgate.cli.output;

import java.util.ArrayList;
import java.util.List;

/**
 * Column alignment as in kubectl: three spaces between columns, no column narrower than six, the
 * last column not padded. Widths only grow, because printed rows cannot change any more. Not
 * thread-safe.
 */
public final class TextTable {
  private static final int GAP = 3;
  private static final int MIN_WIDTH = 6;
  private static final int MIN_CUT = 10;

  private final List<Integer> widths = new ArrayList<>();

  /** Reserves the width of a cell that the next column will contain later. */
  void reserve(String cell) {
    widths.add(Math.max(MIN_WIDTH, cell.length() + GAP));
  }

  /** Returns a line for each row, after all rows have been measured. */
  public List<String> format(List<List<String>> rows) {
    for (List<String> row : rows) {
      for (int i = 0; i < row.size() - 1; i++) {
        if (i == widths.size()) {
          widths.add(MIN_WIDTH);
        }
        String cell = row.get(i);
        widths.set(i, Math.max(widths.get(i), cell.codePointCount(0, cell.length()) + GAP));
      }
    }
    return rows.stream().map(this::line).toList();
  }

  /**
   * Returns rows without the last columns for which a screen has no room, so that none is cut to a
   * letter. A column stays if it fits, or if {@link #MIN_CUT} characters of it do; the first one
   * stays always.
   *
   * @param rows rows of equal length
   * @param screen characters of a line
   */
  public static List<List<String>> fitting(List<List<String>> rows, int screen) {
    int columns = 0;
    int begin = 0;
    while (!rows.isEmpty() && columns < rows.getFirst().size()) {
      int width = 0;
      for (List<String> row : rows) {
        String cell = row.get(columns);
        width = Math.max(width, cell.codePointCount(0, cell.length()));
      }
      if (columns > 0 && begin + Math.min(width, MIN_CUT) > screen) {
        break;
      }
      begin += Math.max(MIN_WIDTH, width + GAP);
      columns++;
    }
    int kept = columns;
    return rows.stream().map(row -> row.subList(0, kept)).toList();
  }

  private String line(List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size() - 1; i++) {
      String cell = row.get(i);
      line.append(cell).repeat(' ', widths.get(i) - cell.codePointCount(0, cell.length()));
    }
    return line.append(row.getLast()).toString();
  }
}
