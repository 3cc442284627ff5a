package io.watchgate.cli.live;

import java.util.ArrayList;
import java.util.List;

/** Cells below each other, three spaces between columns. */
final class Aligned {
  private Aligned() {}

  static List<String> of(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        if (i == widths.size()) {
          widths.add(0);
        }
        widths.set(i, Math.max(widths.get(i), row.get(i).length()));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      line.append(row.get(i)).repeat(' ', widths.get(i) - row.get(i).length() + 3);
    }
    return line.toString().stripTrailing();
  }
}
