package io.watchgate.cli;

import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.Columns;
import io.watchgate.table.Columns.Width;
import io.watchgate.table.JsonView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A row for each event, below one header. */
final class TableOutput implements EventOutput {
  /** Columns before those of the type. */
  enum Extra {
    EVENT,
    NAMESPACE
  }

  private final OutputStream out;
  private final InstantSource clock;
  private final Set<Extra> extras;
  private final TextTable table = new TextTable();
  private @Nullable Layout layout;

  /** What the first object decides: cluster-scoped types have no NAMESPACE. */
  private record Layout(Columns columns, Set<Extra> extras) {
    List<String> header() {
      List<String> names = new ArrayList<>(extras.stream().sorted().map(Extra::name).toList());
      names.addAll(columns.header(Width.NARROW));
      return names;
    }
  }

  TableOutput(OutputStream out, InstantSource clock, Set<Extra> extras) {
    this.out = out;
    this.clock = clock;
    this.extras = Set.copyOf(extras);
  }

  @Override
  public void write(List<WatchEvent> events) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    Instant now = clock.instant();
    for (WatchEvent event : events) {
      JsonView object = JsonView.of(event.getObject().toByteArray());
      Layout decided = layout;
      if (decided == null) {
        decided = decide(event, object);
        layout = decided;
        rows.add(decided.header());
      }
      rows.add(row(decided, event, object, now));
    }
    out.write(table.format(rows).getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private Layout decide(WatchEvent first, JsonView object) {
    Set<Extra> shown = EnumSet.noneOf(Extra.class);
    shown.addAll(extras);
    if (first.getKey().getNamespace().isEmpty()) {
      shown.remove(Extra.NAMESPACE);
    }
    if (shown.contains(Extra.EVENT)) {
      // Nearly every watch begins with ADDED alone.
      table.reserve("MODIFIED");
    }
    return new Layout(Columns.of(object), shown);
  }

  private static List<String> row(Layout layout, WatchEvent event, JsonView object, Instant now) {
    List<String> row = new ArrayList<>();
    if (layout.extras.contains(Extra.EVENT)) {
      row.add(EventOutput.type(event));
    }
    if (layout.extras.contains(Extra.NAMESPACE)) {
      row.add(event.getKey().getNamespace());
    }
    row.addAll(layout.columns.texts(event.getKey().getName(), object, now, Width.NARROW));
    return row;
  }
}
