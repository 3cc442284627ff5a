package io.watchgate.cli;

import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Table of a help page whose lines are broken at spaces only. Picocli's own table also breaks names
 * of types, files and options, after a dot, a slash or a hyphen.
 */
final class HelpTable extends TextTable {
  private final Text indent;

  private HelpTable(ColorScheme colors, Column[] columns, int indentWrapped) {
    super(colors, columns);
    indentWrappedLines = indentWrapped;
    indent = colors.text(" ".repeat(indentWrapped));
  }

  /** Returns the layout of options and parameters of a command. */
  static Layout layout(Help help) {
    CommandSpec spec = help.commandSpec();
    int names =
        help.calcLongOptionColumnWidth(
            spec.options(), spec.positionalParameters(), help.colorScheme());
    TextTable usual = forDefaultColumns(help.colorScheme(), names, width(help));
    return new Layout(
        help.colorScheme(),
        new HelpTable(help.colorScheme(), usual.columns(), usual.indentWrappedLines),
        help.createDefaultOptionRenderer(),
        help.createDefaultParameterRenderer());
  }

  /** Returns paragraphs of the full width. A line's own indentation stays. */
  static String paragraphs(Help help, String[] paragraphs) {
    HelpTable table =
        new HelpTable(
            help.colorScheme(),
            new Column[] {new Column(width(help), 0, Column.Overflow.WRAP)},
            /* indentWrapped= */ 0);
    for (String paragraph : paragraphs) {
      table.addRowValues(String.format(paragraph));
    }
    return table.toString();
  }

  /** Returns rows of a name and a text. */
  static String rows(Help help, Map<String, String> rows) {
    TextTable usual = help.createTextTable(rows);
    HelpTable table = new HelpTable(help.colorScheme(), usual.columns(), usual.indentWrappedLines);
    for (Map.Entry<String, String> row : rows.entrySet()) {
      table.addRowValues(row.getKey(), String.format(row.getValue()));
    }
    return table.toString();
  }

  private static int width(Help help) {
    return help.commandSpec().usageMessage().width();
  }

  @Override
  public Cell putValue(int row, int column, Text value) {
    if (columns()[column].overflow != Column.Overflow.WRAP) {
      return super.putValue(row, column, value);
    }
    // The last place stays free, since some terminals begin a line after it.
    int width = columns()[column].width - columns()[column].indent - 1;
    String text = value.plainString();
    int end = lineEnd(text, 0, width);
    Cell last = super.putValue(row, column, value.substring(0, end));
    while (end < text.length()) {
      int begin = end + 1;
      end = lineEnd(text, begin, width - indentWrappedLines);
      if (last.row + 1 == rowCount()) {
        addEmptyRow();
      }
      last = super.putValue(last.row + 1, column, indent.concat(value.substring(begin, end)));
    }
    return last;
  }

  /** Returns the index of the space or line break at which the line from {@code begin} ends. */
  private static int lineEnd(String text, int begin, int width) {
    int paragraph = text.indexOf('\n', begin);
    int limit = paragraph < 0 ? text.length() : paragraph;
    if (limit - begin <= width) {
      return limit;
    }
    int word = begin;
    while (word < limit && text.charAt(word) == ' ') {
      word++;
    }
    int space = text.lastIndexOf(' ', begin + width);
    if (space <= word) {
      space = text.indexOf(' ', word); // the word alone is wider than the column
    }
    return space < 0 || space > limit ? limit : space;
  }
}
