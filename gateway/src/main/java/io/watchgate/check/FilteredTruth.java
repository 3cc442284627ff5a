package io.watchgate.check;

import io.watchgate.check.RecordedEvent.Removal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The truth as a selection sees it: what matched at first, and each change to it. Made once for all
 * who asked the same.
 */
final class FilteredTruth {
  private final CheckedVersion begin;
  private final Map<RecordedKey, RecordedState> base = new HashMap<>();
  private final NavigableMap<CheckedVersion, Transition> transitions = new TreeMap<>();

  /**
   * @param kind as the selection sees it
   * @param state after it; for DELETED what the apiserver said last, which may match or not
   * @param before what matched before it, unless that is ADDED
   * @param by when everybody who watches had to know it
   */
  record Transition(
      RecordedKind kind,
      RecordedState state,
      Optional<RecordedState> before,
      Removal removal,
      Instant by) {
    CheckedVersion version() {
      return state.version();
    }

    @Override
    public String toString() {
      return "%s %s uid %s at %s%s"
          .formatted(
              kind,
              state.key(),
              state.uid(),
              version(),
              removal == Removal.NONE ? "" : " (" + removal + ")");
    }
  }

  FilteredTruth(Truth truth, SelectionSpec query) {
    this.begin = truth.begin();
    truth.base().stream().filter(query::matches).forEach(state -> base.put(state.key(), state));
    Map<RecordedKey, RecordedState> held = new HashMap<>(base);
    for (RecordedChange change : truth.changes()) {
      RecordedState state = change.state();
      RecordedState before = held.get(state.key());
      boolean matches = change.kind() != RecordedKind.DELETED && query.matches(state);
      if (matches) {
        held.put(state.key(), state);
        RecordedKind kind = before == null ? RecordedKind.ADDED : RecordedKind.MODIFIED;
        add(new Transition(kind, state, Optional.ofNullable(before), Removal.NONE, change.by()));
      } else if (before != null) {
        held.remove(state.key());
        Removal removal =
            change.kind() == RecordedKind.DELETED
                ? Removal.OBJECT_DELETED
                : Removal.NO_LONGER_MATCHES;
        add(new Transition(RecordedKind.DELETED, state, Optional.of(before), removal, change.by()));
      }
    }
  }

  private void add(Transition transition) {
    transitions.put(transition.version(), transition);
  }

  /** Whether it is known what was there. */
  boolean knows(CheckedVersion position) {
    return position.compareTo(begin) >= 0;
  }

  /** What matched. */
  Map<RecordedKey, RecordedState> at(CheckedVersion position) {
    Map<RecordedKey, RecordedState> held = new HashMap<>(base);
    transitions.headMap(position, true).values().forEach(one -> apply(one, held));
    return held;
  }

  /** What a holder of the state before it holds after it. */
  static void apply(Transition transition, Map<RecordedKey, RecordedState> held) {
    if (transition.kind() == RecordedKind.DELETED) {
      held.remove(transition.state().key());
    } else {
      held.put(transition.state().key(), transition.state());
    }
  }

  /** What happened behind one position, up to and including another, in order. */
  List<Transition> between(CheckedVersion from, CheckedVersion to) {
    if (!to.isAfter(from)) {
      return List.of();
    }
    return List.copyOf(transitions.subMap(from, false, to, true).values());
  }

  /** What happened next behind a position. */
  Optional<Transition> firstAfter(CheckedVersion position) {
    return Optional.ofNullable(transitions.higherEntry(position)).map(Map.Entry::getValue);
  }

  /** What led to that version, if it concerned the selection. */
  Optional<Transition> transition(CheckedVersion version) {
    return Optional.ofNullable(transitions.get(version));
  }

  /** All states in which it matched, and the one in which it was deleted. */
  List<RecordedState> statesOf(String uid) {
    return Stream.concat(
            base.values().stream(), transitions.values().stream().map(Transition::state))
        .filter(state -> state.uid().equals(uid))
        .toList();
  }

  /** What was there of an object in that version, from a change or from the beginning. */
  Optional<RecordedState> state(RecordedKey key, CheckedVersion version) {
    RecordedState first = base.get(key);
    if (first != null && first.version().equals(version)) {
      return Optional.of(first);
    }
    return transition(version)
        .filter(one -> one.kind() != RecordedKind.DELETED && one.state().key().equals(key))
        .map(Transition::state);
  }
}
