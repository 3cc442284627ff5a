package io.watchgate.table;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Texts of cells that several types have: labels, selectors, lists. */
final class CellText {
  static final String NONE = "<none>";
  static final String UNKNOWN = "<unknown>";
  private static final int MAX_LISTED = 3;

  private CellText() {}

  static String orNone(String text) {
    return text.isEmpty() ? NONE : text;
  }

  /** Returns {@code a=1,b=2}. */
  static String labels(JsonView labels) {
    return orNone(
        new TreeMap<>(labels.fields())
            .entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue().text())
                .collect(Collectors.joining(",")));
  }

  /** Returns {@code a=1,b in (x,y),!c}, by key; empty if it selects everything, or nothing. */
  static String selector(JsonView selector) {
    record Requirement(String key, String text) {}
    List<Requirement> requirements = new ArrayList<>();
    selector
        .get("matchLabels")
        .fields()
        .forEach((key, value) -> requirements.add(new Requirement(key, key + "=" + value.text())));
    for (JsonView expression : selector.get("matchExpressions").items()) {
      String key = expression.get("key").text();
      String values =
          expression.get("values").items().stream()
              .map(JsonView::text)
              .sorted()
              .collect(Collectors.joining(",", "(", ")"));
      requirements.add(
          new Requirement(
              key,
              switch (expression.get("operator").text()) {
                case "In" -> key + " in " + values;
                case "NotIn" -> key + " notin " + values;
                case "DoesNotExist" -> "!" + key;
                default -> key;
              }));
    }
    return requirements.stream()
        .sorted((a, b) -> a.key.compareTo(b.key))
        .map(Requirement::text)
        .collect(Collectors.joining(","));
  }

  /** Returns the first three texts, and the number of the remaining ones. */
  static String firstThree(List<String> all) {
    if (all.size() > MAX_LISTED) {
      return String.join(",", all.subList(0, MAX_LISTED))
          + " + "
          + (all.size() - MAX_LISTED)
          + " more...";
    }
    String joined = String.join(",", all);
    return joined.isEmpty() ? "<unset>" : joined;
  }

  /** Returns one field of each element. */
  static String joined(JsonView list, String field) {
    return list.items().stream()
        .map(element -> element.get(field).text())
        .collect(Collectors.joining(","));
  }
}
