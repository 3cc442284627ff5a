package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Text form of the content of a page: a line for each value, and an aligned table for each array of
 * objects. Column names are those of the JSON in upper case, with {@code -} before each word.
 */
public final class TextPage {
  private static final int GAP = 2;
  private static final Pattern WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

  /** Characters that would change a terminal or break a line: names are text from clients. */
  private static final Pattern CONTROL = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private TextPage() {}

  /** Returns the text, which ends with a line feed. */
  public static String of(JsonObject content) {
    StringBuilder text = new StringBuilder();
    List<List<String>> values = new ArrayList<>();
    for (Map.Entry<String, JsonElement> member : content.entrySet()) {
      if (isTable(member.getKey(), member.getValue())) {
        appendAligned(text, values);
        values.clear();
        appendTable(text, member.getKey(), member.getValue().getAsJsonArray());
      } else {
        addValues(values, member.getKey(), member.getValue());
      }
    }
    appendAligned(text, values);
    return text.toString();
  }

  /** Returns whether a member of a page is a table: an array, but not one of names. */
  static boolean isTable(String name, JsonElement value) {
    return value instanceof JsonArray array
        && (array.isEmpty()
            ? !name.equals(StreamsPage.NAMESPACES)
            : array.get(0) instanceof JsonObject);
  }

  private static void addValues(List<List<String>> rows, String name, JsonElement value) {
    if (value instanceof JsonObject object) {
      object.entrySet().forEach(member -> addValues(rows, member.getKey(), member.getValue()));
    } else {
      rows.add(List.of(name + ":", cell(name, value)));
    }
  }

  private static void appendTable(StringBuilder text, String name, JsonArray table) {
    if (!text.isEmpty()) {
      text.append('\n');
    }
    if (table.isEmpty()) {
      text.append(name).append(": none\n");
      return;
    }
    Set<String> columns = new LinkedHashSet<>();
    table.forEach(row -> columns.addAll(row.getAsJsonObject().keySet()));
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns.stream().map(TextPage::heading).toList());
    for (JsonElement element : table) {
      JsonObject row = element.getAsJsonObject();
      rows.add(columns.stream().map(column -> cell(column, row.get(column))).toList());
    }
    appendAligned(text, rows);
  }

  private static String heading(String name) {
    return WORD.matcher(name).replaceAll("-").toUpperCase(Locale.ROOT);
  }

  /** Returns a time on pages: UTC, in milliseconds. */
  static String time(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Returns the text of a value in one line; {@code *} for all namespaces. */
  static String cell(String column, @Nullable JsonElement value) {
    boolean isAll =
        column.equals(StreamsPage.NAMESPACES) && value instanceof JsonArray all && all.isEmpty();
    return isAll ? "*" : text(value);
  }

  private static String text(@Nullable JsonElement value) {
    if (value == null || value.isJsonNull()) {
      return "-";
    }
    String text;
    if (value instanceof JsonArray array) {
      List<String> parts = new ArrayList<>();
      array.forEach(part -> parts.add(part.getAsString()));
      text = String.join(",", parts);
    } else {
      text = value.getAsString();
    }
    return text.isEmpty() ? "-" : CONTROL.matcher(text).replaceAll("?");
  }

  private static void appendAligned(StringBuilder text, List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        int width = row.get(i).codePointCount(0, row.get(i).length());
        if (i == widths.size()) {
          widths.add(width);
        } else {
          widths.set(i, Math.max(widths.get(i), width));
        }
      }
    }
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        text.append(cell);
        if (i < row.size() - 1) {
          text.repeat(' ', widths.get(i) - cell.codePointCount(0, cell.length()) + GAP);
        }
      }
      text.append('\n');
    }
  }
}
