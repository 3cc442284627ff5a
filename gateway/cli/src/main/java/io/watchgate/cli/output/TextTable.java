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

  private String line(List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size() - 1; i++) {
      String cell = row.get(i);
      line.append(cell).repeat(' ', widths.get(i) - cell.codePointCount(0, cell.length()));
    }
    return line.append(row.getLast()).toString();
  }
}
