package io.watchgate.cli.live;

import io.watchgate.cli.output.TableLayout;
import io.watchgate.cli.output.TableShape;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Current objects of one type, and the last changes. Not thread-safe.
 *
 * <p>Keeps the bodies of the first rows, at most 32 MiB: more than a terminal shows, even after
 * many deletes. Of each further row it keeps only the identity, about 300 bytes.
 */
public final class LiveTable {
  private static final int MAX_CHANGES = 50;
  private static final long MAX_BODY_BYTES = 32L << 20;

  private final InstantSource clock;
  private final StalenessThreshold threshold;
  private final TableShape shape;
  private final Function<JsonView, TypeColumns> columns;
  private final Map<Name, Row> rows = new TreeMap<>();
  private final NavigableSet<Name> withBody = new TreeSet<>();
  private long bodyBytes;
  private final Deque<LastChange> changes = new ArrayDeque<>();
  private final Set<Name> unseen = new HashSet<>();
  private long changeCount;
  private Connection connection = Connection.OPEN;
  private Instant confirmed = Instant.MAX;
  private @Nullable TableLayout layout;

  private enum Connection {
    OPEN,
    INTERRUPTED,
    ENDED
  }

  /** Name of an object. */
  record Name(String namespace, String name) implements Comparable<Name> {
    static Name of(ObjectKey key) {
      return new Name(key.getNamespace(), key.getName());
    }

    @Override
    public int compareTo(Name other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
  }

  /**
   * State of an object.
   *
   * @param event has no body if it is not kept
   * @param changed time of the last change; the epoch if there was none since the start
   */
  record Row(WatchEvent event, Instant changed) {}

  /** Change in the lower part. */
  record LastChange(Instant at, EventType type, Name name, String description) {}

  /**
   * Creates an empty table.
   *
   * @param columns returns the columns for objects like the given one; may block
   */
  public LiveTable(
      InstantSource clock,
      StalenessThreshold threshold,
      TableShape shape,
      Function<JsonView, TypeColumns> columns) {
    this.clock = clock;
    this.threshold = threshold;
    this.shape = shape;
    this.columns = columns;
  }

  /** Applies an update of a watch. */
  public void apply(WatchUpdate update) {
    switch (update) {
      case WatchUpdate.SnapshotBegun begun -> {
        unseen.clear();
        unseen.addAll(rows.keySet());
      }
      case WatchUpdate.SnapshotObjects snapshot -> {
        for (WatchEvent event : snapshot.objects()) {
          Name name = Name.of(event.getKey());
          unseen.remove(name);
          put(name, event, Instant.EPOCH);
        }
      }
      case WatchUpdate.SnapshotComplete complete -> {
        connection = Connection.OPEN;
        unseen.forEach(this::remove);
        unseen.clear();
        setConfirmed(complete.staleness());
      }
      case WatchUpdate.Changes changed -> changed.events().forEach(this::change);
      case WatchUpdate.Bookmark bookmark -> bookmark.age().ifPresent(this::setConfirmed);
      case WatchUpdate.Interrupted interrupted -> connection = Connection.INTERRUPTED;
      case WatchUpdate.Opened opened -> {}
      case WatchUpdate.Reconnected reconnected -> {
        switch (reconnected.continuation()) {
          case RESUMED, FROM_NOW -> connection = Connection.OPEN;
          case SNAPSHOT, STARTED_OVER -> {} // the rows are old until it is complete
        }
      }
      case WatchUpdate.Ended ended -> connection = Connection.ENDED;
    }
  }

  private void put(Name name, WatchEvent event, Instant changed) {
    if (layout == null) {
      layout = TableLayout.of(event, shape, columns);
    }
    bodyBytes += event.getObject().size() - bodyBytes(rows.put(name, new Row(event, changed)));
    withBody.add(name);
    while (bodyBytes > MAX_BODY_BYTES) {
      rows.computeIfPresent(
          withBody.removeLast(),
          (last, row) -> {
            bodyBytes -= bodyBytes(row);
            return new Row(row.event.toBuilder().clearObject().build(), row.changed);
          });
    }
  }

  private static int bodyBytes(@Nullable Row row) {
    return row == null ? 0 : row.event.getObject().size();
  }

  private void remove(Name name) {
    bodyBytes -= bodyBytes(rows.remove(name));
    withBody.remove(name);
  }

  private void setConfirmed(Duration ago) {
    confirmed = clock.instant().minus(ago);
  }

  /** Returns why the rows may be outdated; empty if there is no reason. */
  String outdatedReason() {
    return switch (connection) {
      case INTERRUPTED -> "not connected: the rows are the last state that came";
      case ENDED -> "the watch has ended: the rows are the last state that came";
      case OPEN -> {
        Duration age = Duration.between(confirmed, clock.instant());
        yield threshold.isStale(age) ? StalenessThreshold.text(age) : "";
      }
    };
  }

  private void change(WatchEvent event) {
    changeCount++;
    Name name = Name.of(event.getKey());
    Instant now = clock.instant();
    Row before = rows.get(name);
    if (event.getType() == EventType.EVENT_TYPE_DELETED) {
      remove(name);
      addChange(new LastChange(now, event.getType(), name, "gone"));
      return;
    }
    put(name, event, now);
    String description = before == null ? "new" : difference(before.event, event, now);
    if (!description.isEmpty()) {
      addChange(new LastChange(now, event.getType(), name, description));
    }
  }

  private void addChange(LastChange change) {
    changes.addLast(change);
    if (changes.size() > MAX_CHANGES) {
      changes.removeFirst();
    }
  }

  /** Returns the number of received changes. */
  public long changeCount() {
    return changeCount;
  }

  public int size() {
    return rows.size();
  }

  Map<Name, Row> rows() {
    return rows;
  }

  /** Returns the columns; null before the first object. */
  @Nullable TableLayout layout() {
    return layout;
  }

  /** Returns the last {@code most} changes, the oldest first. */
  List<LastChange> lastChanges(int most) {
    List<LastChange> all = new ArrayList<>(changes);
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  /** Returns the cells that differ between two states of an object, without its age. */
  private String difference(WatchEvent before, WatchEvent after, Instant now) {
    TableLayout decided = layout;
    if (decided == null || before.getObject().isEmpty()) {
      return "changed";
    }
    List<String> header = decided.columns().header(TypeColumns.Width.WIDE);
    List<String> was = wideCells(decided, before, now);
    List<String> is = wideCells(decided, after, now);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < header.size(); i++) {
      if (!header.get(i).equals("AGE") && !was.get(i).equals(is.get(i))) {
        parts.add(header.get(i) + " " + was.get(i) + " → " + is.get(i));
      }
    }
    return String.join(", ", parts);
  }

  private static List<String> wideCells(TableLayout layout, WatchEvent event, Instant now) {
    return layout.columns().texts("", TableLayout.object(event), now, TypeColumns.Width.WIDE);
  }
}
