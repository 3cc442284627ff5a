package io.watchgate.check;

import io.watchgate.check.Event.Body;
import io.watchgate.check.Event.Removal;
import io.watchgate.check.Requirement.Operator;
import io.watchgate.check.Selected.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What happens upstream, told step by step; each step has the next version, from 1 on. */
final class Story {
  /** The only one. */
  static final String HISTORY = "h-1";

  /** Whose label {@code app} is {@code web}. */
  static final Query WEB =
      new Query(Set.of(), List.of(new Requirement("app", Operator.IN, Set.of("web"))), List.of());

  private final List<State> base = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();
  private final Map<String, State> current = new HashMap<>();
  private int version;
  private int begin;
  private int created;

  /** All so far is what there was when the record began. */
  Story begin() {
    base.addAll(current.values());
    changes.clear();
    begin = version;
    return this;
  }

  /** Creates or changes an object. */
  Story put(String name, String app) {
    State before = current.get(name);
    version++;
    String uid = before == null ? "u" + ++created : before.uid();
    State state = state(name, uid, app, "content " + version);
    changes.add(new Change(before == null ? Kind.ADDED : Kind.MODIFIED, state, time(version)));
    current.put(name, state);
    return this;
  }

  Story delete(String name) {
    State before = Objects.requireNonNull(current.remove(name));
    version++;
    String app = before.labels().getOrDefault("app", "");
    State last = state(name, before.uid(), app, content(before));
    changes.add(new Change(Kind.DELETED, last, time(version)));
    return this;
  }

  private static String content(State state) {
    return state.contents().getOrDefault(Shape.FULL, "");
  }

  boolean has(String name) {
    return current.containsKey(name);
  }

  private State state(String name, String uid, String app, String content) {
    return new State(
        new Key("ns", name),
        uid,
        at(version),
        Map.of("app", app),
        Map.of(),
        Map.of(Shape.FULL, content));
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

  /** When the step to a version was: a minute after the one before it. */
  static Instant time(long version) {
    return Instant.EPOCH.plus(Duration.ofMinutes(version));
  }

  static Version at(long number) {
    return number == 0 ? Version.NONE : Version.of(Long.toString(number));
  }

  /** The events that a faithful gateway sends. */
  static List<Event> events(List<Transition> transitions) {
    return transitions.stream().map(Story::event).toList();
  }

  static Event event(Transition one) {
    State shown =
        one.removal() == Removal.NO_LONGER_MATCHES ? one.before().orElseThrow() : one.state();
    return event(one.kind(), shown, one.version(), one.removal());
  }

  static Event event(Kind kind, State shown, Version version, Removal removal) {
    return new Event(
        kind,
        shown.key(),
        shown.uid(),
        version,
        new Body.Content(version, content(shown)),
        removal);
  }

  private static boolean isSame(State one, State other) {
    return one.uid().equals(other.uid());
  }

  /** What makes one state of everything from another, as a gateway that lists anew finds it. */
  static List<Event> difference(
      Map<Key, State> before, Map<Key, State> after, Version position, Removal removal) {
    List<Event> deletes = new ArrayList<>();
    List<Event> rest = new ArrayList<>();
    before.forEach(
        (key, state) -> {
          if (Optional.ofNullable(after.get(key)).filter(now -> isSame(now, state)).isEmpty()) {
            deletes.add(event(Kind.DELETED, state, position, removal));
          }
        });
    after.forEach(
        (key, state) -> {
          State old = before.get(key);
          if (old == null || !isSame(old, state)) {
            rest.add(event(Kind.ADDED, state, state.version(), Removal.NONE));
          } else if (!old.version().equals(state.version())) {
            rest.add(event(Kind.MODIFIED, state, state.version(), Removal.NONE));
          }
        });
    deletes.addAll(rest);
    return deletes;
  }
}
