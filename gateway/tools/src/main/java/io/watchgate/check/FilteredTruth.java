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
 * The truth as seen by a selection: the objects that matched at first, and each change to them.
 * Shared by all sessions with the same selection.
 */
final class FilteredTruth {
  private final CheckedVersion begin;
  private final Map<RecordedKey, RecordedState> base = new HashMap<>();
  private final NavigableMap<CheckedVersion, Transition> transitions = new TreeMap<>();

  /**
   * A change that affects the selection.
   *
   * @param kind kind of the change for the selection
   * @param state state after the change; for DELETED the last state at the apiserver, which may
   *     match or not
   * @param before matching state before the change, unless the kind is ADDED
   * @param knownBy time from which every watcher must know the change
   */
  record Transition(
      RecordedKind kind,
      RecordedState state,
      Optional<RecordedState> before,
      Removal removal,
      Instant knownBy) {
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
    Map<RecordedKey, RecordedState> states = new HashMap<>(base);
    for (RecordedChange change : truth.changes()) {
      RecordedState state = change.state();
      RecordedState before = states.get(state.key());
      boolean matches = change.kind() != RecordedKind.DELETED && query.matches(state);
      if (matches) {
        states.put(state.key(), state);
        RecordedKind kind = before == null ? RecordedKind.ADDED : RecordedKind.MODIFIED;
        add(
            new Transition(
                kind, state, Optional.ofNullable(before), Removal.NONE, change.knownBy()));
      } else if (before != null) {
        states.remove(state.key());
        Removal removal =
            change.kind() == RecordedKind.DELETED
                ? Removal.OBJECT_DELETED
                : Removal.NO_LONGER_MATCHES;
        add(
            new Transition(
                RecordedKind.DELETED, state, Optional.of(before), removal, change.knownBy()));
      }
    }
  }

  private void add(Transition transition) {
    transitions.put(transition.version(), transition);
  }

  /** Returns whether the state at a position is known. */
  boolean knows(CheckedVersion position) {
    return position.compareTo(begin) >= 0;
  }

  /** Returns whether the change to a version is known, if there was one. */
  boolean knowsChange(CheckedVersion version) {
    return version.isAfter(begin);
  }

  /** Returns the objects that match at a position. */
  Map<RecordedKey, RecordedState> at(CheckedVersion position) {
    Map<RecordedKey, RecordedState> states = new HashMap<>(base);
    transitions.headMap(position, true).values().forEach(one -> apply(one, states));
    return states;
  }

  /** Applies a transition to the state before it. */
  static void apply(Transition transition, Map<RecordedKey, RecordedState> states) {
    if (transition.kind() == RecordedKind.DELETED) {
      states.remove(transition.state().key());
    } else {
      states.put(transition.state().key(), transition.state());
    }
  }

  /** Returns the transitions after one position, up to and including another, in order. */
  List<Transition> between(CheckedVersion from, CheckedVersion to) {
    if (!to.isAfter(from)) {
      return List.of();
    }
    return List.copyOf(transitions.subMap(from, false, to, true).values());
  }

  /** Returns the first transition after a position. */
  Optional<Transition> firstAfter(CheckedVersion position) {
    return Optional.ofNullable(transitions.higherEntry(position)).map(Map.Entry::getValue);
  }

  /** Returns the version of the last transition, or the beginning. */
  CheckedVersion end() {
    return transitions.isEmpty() ? begin : transitions.lastKey();
  }

  /** Returns the transition of a version, if the version affects the selection. */
  Optional<Transition> transition(CheckedVersion version) {
    return Optional.ofNullable(transitions.get(version));
  }

  /** Returns all matching states of an object, and its state in each DELETED transition. */
  List<RecordedState> statesOf(String uid) {
    return Stream.concat(
            base.values().stream(), transitions.values().stream().map(Transition::state))
        .filter(state -> state.uid().equals(uid))
        .toList();
  }

  /**
   * Returns the matching state of an object at a version, from a transition or from the beginning.
   */
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
