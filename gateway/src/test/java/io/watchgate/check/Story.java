package io.watchgate.check;

import io.watchgate.check.FilteredTruth.Transition;
import io.watchgate.check.RecordedEvent.Body;
import io.watchgate.check.RecordedEvent.Removal;
import io.watchgate.check.SelectorRequirement.Operator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Changes at the apiserver, added one by one; each has the next version, from 1 on. */
final class Story {
  /** ID of the only history. */
  static final String HISTORY = "h-1";

  /** Objects whose label {@code app} is {@code web}. */
  static final SelectionSpec WEB =
      new SelectionSpec(
          Set.of(), List.of(new SelectorRequirement("app", Operator.IN, Set.of("web"))), List.of());

  private final List<RecordedState> base = new ArrayList<>();
  private final List<RecordedChange> changes = new ArrayList<>();
  private final Map<String, RecordedState> current = new HashMap<>();
  private int version;
  private int begin;
  private int created;

  /** Begins the record; all objects so far are its base. */
  Story begin() {
    base.addAll(current.values());
    changes.clear();
    begin = version;
    return this;
  }

  /** Creates or changes an object. */
  Story put(String name, String app) {
    RecordedState before = current.get(name);
    version++;
    String uid = before == null ? "u" + ++created : before.uid();
    RecordedState state = state(name, uid, app, "content " + version);
    changes.add(
        new RecordedChange(
            before == null ? RecordedKind.ADDED : RecordedKind.MODIFIED, state, time(version)));
    current.put(name, state);
    return this;
  }

  Story delete(String name) {
    RecordedState before = Objects.requireNonNull(current.remove(name));
    version++;
    String app = before.labels().getOrDefault("app", "");
    RecordedState last = state(name, before.uid(), app, content(before));
    changes.add(new RecordedChange(RecordedKind.DELETED, last, time(version)));
    return this;
  }

  private static String content(RecordedState state) {
    return state.contents().getOrDefault(ProjectionSpec.FULL, "");
  }

  boolean has(String name) {
    return current.containsKey(name);
  }

  private RecordedState state(String name, String uid, String app, String content) {
    return new RecordedState(
        new RecordedKey("ns", name),
        uid,
        at(version),
        Map.of("app", app),
        Map.of(),
        Map.of(ProjectionSpec.FULL, content));
  }

  int version() {
    return version;
  }

  int beginning() {
    return begin;
  }

  Truth truth() {
    return new Truth(at(begin), base, changes);
  }

  /** Returns the time of a version: one minute after the version before it. */
  static Instant time(long version) {
    return Instant.EPOCH.plus(Duration.ofMinutes(version));
  }

  static CheckedVersion at(long number) {
    return number == 0 ? CheckedVersion.NONE : CheckedVersion.of(Long.toString(number));
  }

  /** Returns the events that a correct gateway sends. */
  static List<RecordedEvent> events(List<Transition> transitions) {
    return transitions.stream().map(Story::event).toList();
  }

  static RecordedEvent event(Transition one) {
    RecordedState shown =
        one.removal() == Removal.NO_LONGER_MATCHES ? one.before().orElseThrow() : one.state();
    return event(one.kind(), shown, one.version(), one.removal());
  }

  static RecordedEvent event(
      RecordedKind kind, RecordedState shown, CheckedVersion version, Removal removal) {
    return new RecordedEvent(
        kind,
        shown.key(),
        shown.uid(),
        version,
        new Body.Content(version, content(shown)),
        removal);
  }

  private static boolean isSame(RecordedState one, RecordedState other) {
    return one.uid().equals(other.uid());
  }

  /** Returns the events between two states, as a gateway that lists again finds them. */
  static List<RecordedEvent> difference(
      Map<RecordedKey, RecordedState> before,
      Map<RecordedKey, RecordedState> after,
      CheckedVersion position,
      Removal removal) {
    List<RecordedEvent> deletes = new ArrayList<>();
    List<RecordedEvent> rest = new ArrayList<>();
    before.forEach(
        (key, state) -> {
          if (Optional.ofNullable(after.get(key)).filter(now -> isSame(now, state)).isEmpty()) {
            deletes.add(event(RecordedKind.DELETED, state, position, removal));
          }
        });
    after.forEach(
        (key, state) -> {
          RecordedState old = before.get(key);
          if (old == null || !isSame(old, state)) {
            rest.add(event(RecordedKind.ADDED, state, state.version(), Removal.NONE));
          } else if (!old.version().equals(state.version())) {
            rest.add(event(RecordedKind.MODIFIED, state, state.version(), Removal.NONE));
          }
        });
    deletes.addAll(rest);
    return deletes;
  }
}
