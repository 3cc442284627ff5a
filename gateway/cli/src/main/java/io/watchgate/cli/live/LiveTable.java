package io.watchgate.cli.live;

import com.google.protobuf.ByteString;
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
import java.util.Set;
import java.util.TreeMap;

/** Current objects and the last changes. Not thread-safe. */
public final class LiveTable {
  private static final int MAX_CHANGES = 50;

  /**
   * An apiserver confirms a quiet type once a minute, and a bookmark reports it up to 30 s later.
   */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final InstantSource clock;
  private final Map<Name, Row> rows = new TreeMap<>();
  private final Deque<LastChange> changes = new ArrayDeque<>();
  private final Set<Name> unseen = new HashSet<>();
  private long changeCount;
  private Connection connection = Connection.OPEN;
  private Instant confirmed = Instant.MAX;

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
   * @param changed time of the last change; the epoch if there was none since the start
   */
  record Row(ByteString object, Instant changed) {}

  /** Change in the lower part. */
  record LastChange(Instant at, EventType type, Name name, String what) {}

  public LiveTable(InstantSource clock) {
    this.clock = clock;
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
          rows.put(name, new Row(event.getObject(), Instant.EPOCH));
        }
      }
      case WatchUpdate.SnapshotComplete complete -> {
        unseen.forEach(rows::remove);
        unseen.clear();
        setConfirmed(complete.staleness());
      }
      case WatchUpdate.Changes changed -> changed.events().forEach(this::change);
      case WatchUpdate.Bookmark bookmark -> bookmark.age().ifPresent(this::setConfirmed);
      case WatchUpdate.Interrupted interrupted -> connection = Connection.INTERRUPTED;
      case WatchUpdate.Opened opened -> connection = Connection.OPEN;
      case WatchUpdate.Reconnected reconnected -> connection = Connection.OPEN;
      case WatchUpdate.Ended ended -> connection = Connection.ENDED;
    }
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
        yield age.compareTo(LIMIT) > 0 ? staleText(age) : "";
      }
    };
  }

  /**
   * Returns the message for a state whose last confirmation by the apiserver is {@code age} ago.
   */
  public static String staleText(Duration age) {
    return "stale: the apiserver last confirmed this state " + age.toSeconds() + " s ago";
  }

  private void change(WatchEvent event) {
    changeCount++;
    Name name = Name.of(event.getKey());
    Instant now = clock.instant();
    Row before = rows.get(name);
    if (event.getType() == EventType.EVENT_TYPE_DELETED) {
      rows.remove(name);
      addChange(new LastChange(now, event.getType(), name, "gone"));
      return;
    }
    rows.put(name, new Row(event.getObject(), now));
    String what = before == null ? "new" : Difference.of(before.object, event.getObject(), now);
    if (!what.isEmpty()) {
      addChange(new LastChange(now, event.getType(), name, what));
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

  /** Returns the last {@code most} changes, the oldest first. */
  List<LastChange> lastChanges(int most) {
    List<LastChange> all = new ArrayList<>(changes);
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  /** Cells that differ between two states of an object, without cells of its age. */
  static final class Difference {
    private Difference() {}

    static String of(ByteString before, ByteString after, Instant now) {
      JsonView old = JsonView.of(before.toByteArray());
      JsonView view = JsonView.of(after.toByteArray());
      TypeColumns columns = TypeColumns.of(view);
      List<String> header = columns.header(TypeColumns.Width.WIDE);
      List<String> was = columns.texts("", old, now, TypeColumns.Width.WIDE);
      List<String> is = columns.texts("", view, now, TypeColumns.Width.WIDE);
      List<String> parts = new ArrayList<>();
      for (int i = 0; i < header.size(); i++) {
        if (!header.get(i).equals("AGE") && !was.get(i).equals(is.get(i))) {
          parts.add(header.get(i) + " " + was.get(i) + " → " + is.get(i));
        }
      }
      return String.join(", ", parts);
    }
  }
}
