package io.watchgate.cli.output;

import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import io.watchgate.table.TypeColumns.Width;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Shape of a printed table: its header, and the columns beside those of the type.
 *
 * @param custom columns in place of those of the type; none: those of the type
 * @param labelKeys labels with a column of their own
 */
public record TableShape(
    Set<Extra> extras,
    Width width,
    List<PathColumn> custom,
    List<String> labelKeys,
    Header header) {
  /** RFC 3339, always with milliseconds, so that times compare as texts. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Additions to the columns of a type: columns before them in this order, and others. */
  public enum Extra {
    TIME,
    EVENT,
    NAMESPACE,
    /** Last column: all labels. */
    LABELS,
    /** Kind before each name: {@code pod/web}. */
    KIND
  }

  /** Line of the names of the columns. */
  public enum Header {
    PRINTED,
    OMITTED
  }

  public TableShape {
    extras = Set.copyOf(extras);
    custom = List.copyOf(custom);
    labelKeys = List.copyOf(labelKeys);
  }

  /** Returns a shape with these columns beside those of the type. */
  public static TableShape of(Extra... extras) {
    return new TableShape(Set.of(extras), Width.NARROW, List.of(), List.of(), Header.PRINTED);
  }

  /** Returns the shape without a column. */
  public TableShape without(Extra extra) {
    Set<Extra> fewer =
        extras.stream().filter(one -> one != extra).collect(Collectors.toUnmodifiableSet());
    return new TableShape(fewer, width, custom, labelKeys, header);
  }

  /** Returns the names of the columns. */
  List<String> names(TypeColumns columns) {
    List<String> names = new ArrayList<>();
    for (Extra extra : List.of(Extra.TIME, Extra.EVENT, Extra.NAMESPACE)) {
      if (extras.contains(extra)) {
        names.add(extra.name());
      }
    }
    names.addAll(
        custom.isEmpty()
            ? columns.header(width)
            : custom.stream().map(PathColumn::header).toList());
    labelKeys.forEach(
        key -> names.add(key.substring(key.lastIndexOf('/') + 1).toUpperCase(Locale.ROOT)));
    if (extras.contains(Extra.LABELS)) {
      names.add(Extra.LABELS.name());
    }
    return names;
  }

  /** Returns the cells of a row. */
  List<String> row(TypeColumns columns, WatchEvent event, JsonView object, Instant now) {
    List<String> row = new ArrayList<>();
    if (extras.contains(Extra.TIME)) {
      row.add(TIME.format(now));
    }
    if (extras.contains(Extra.EVENT)) {
      row.add(RowStyle.name(event.getType()));
    }
    if (extras.contains(Extra.NAMESPACE)) {
      row.add(event.getKey().getNamespace());
    }
    row.addAll(
        custom.isEmpty()
            ? columns.texts(name(event, object), object, now, width)
            : custom.stream().map(column -> column.text(object)).toList());
    Map<String, JsonView> labels = object.get("metadata", "labels").fields();
    labelKeys.forEach(key -> row.add(labels.getOrDefault(key, new JsonView(null)).text()));
    if (extras.contains(Extra.LABELS)) {
      row.add(text(labels));
    }
    row.replaceAll(TerminalEscaper::inLine);
    return row;
  }

  private String name(WatchEvent event, JsonView object) {
    return extras.contains(Extra.KIND) ? NameOutput.name(event, object) : event.getKey().getName();
  }

  private static String text(Map<String, JsonView> labels) {
    return labels.isEmpty()
        ? PathColumn.MISSING
        : new TreeMap<>(labels)
            .entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue().text())
                .collect(Collectors.joining(","));
  }
}
