package io.watchgate.fanout;

import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Matching states and changes of one selection in the truth. */
record FilteredTruth(Truth truth, Choice choice) {

  private boolean matches(SampleObject object) {
    return choice.meaning().test(object);
  }

  /** Returns the matching objects at a position of some history. */
  NavigableMap<String, SampleObject> stateAt(Position position) {
    for (Truth.Timeline timeline : truth.timelines()) {
      if (wentThrough(timeline, position)) {
        return matching(timeline.at(number(position)));
      }
    }
    throw new AssertionError("no state ever had the version and digest of " + position);
  }

  NavigableMap<String, SampleObject> now() {
    return matching(truth.current().at(truth.current().now));
  }

  private NavigableMap<String, SampleObject> matching(Truth.State all) {
    NavigableMap<String, SampleObject> matching = new TreeMap<>(all.objects());
    matching.values().removeIf(object -> !matches(object));
    return matching;
  }

  /**
   * Returns the events that must be sent between two positions, one line each; one list for every
   * history with both positions.
   */
  List<List<String>> changes(Position from, Position to) {
    List<List<String>> possible = new ArrayList<>();
    for (Truth.Timeline timeline : truth.timelines()) {
      if (wentThrough(timeline, from) && wentThrough(timeline, to)) {
        possible.add(
            timeline
                .events
                .subMap(number(from), false, Math.max(number(from), number(to)), true)
                .values()
                .stream()
                .flatMap(event -> lines(event).stream())
                .toList());
      }
    }
    return possible;
  }

  private List<String> lines(Truth.Event event) {
    SampleObject old = event.old();
    SampleObject now = event.now();
    boolean recreated = old != null && now != null && !old.uid().equals(now.uid());
    boolean before = old != null && matches(old);
    boolean after = now != null && matches(now);
    List<String> lines = new ArrayList<>();
    if (old != null && before && (!after || recreated)) {
      RemovalReason reason =
          recreated
              ? RemovalReason.REMOVAL_REASON_INFERRED
              : now == null
                  ? RemovalReason.REMOVAL_REASON_OBJECT_DELETED
                  : RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES;
      lines.add(line(EventType.EVENT_TYPE_DELETED, event, old, reason));
    }
    if (now != null && after) {
      EventType type =
          before && !recreated ? EventType.EVENT_TYPE_MODIFIED : EventType.EVENT_TYPE_ADDED;
      lines.add(line(type, event, now, RemovalReason.REMOVAL_REASON_UNSPECIFIED));
    }
    return lines;
  }

  private static String line(
      EventType type, Truth.Event event, SampleObject object, RemovalReason reason) {
    return String.join(
        " ", type.name(), event.key(), object.uid(), "" + event.version(), reason.name());
  }

  /** Returns a sent event as a line of {@link #changes}. */
  static String line(WatchEvent event) {
    return String.join(
        " ",
        event.getType().name(),
        key(event),
        event.getKey().getUid(),
        event.getResourceVersion(),
        event.getRemovalReason().name());
  }

  static String key(WatchEvent event) {
    return event.getKey().getNamespace() + "/" + event.getKey().getName();
  }

  private static boolean wentThrough(Truth.Timeline timeline, Position position) {
    return timeline.reaches(number(position))
        && timeline.at(number(position)).digest().equals(position.digest());
  }

  private static long number(Position position) {
    return Long.parseLong(position.version().digits());
  }
}
