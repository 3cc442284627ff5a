package io.watchgate.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * State of a client that applies all events it receives, together with the expected state. Both are
 * computed over the segments of a session, from the first to the last.
 */
final class ClientState {
  private final FilteredTruth filteredTruth;
  private final Map<RecordedKey, Holding> holdings = new HashMap<>();
  private final Map<RecordedKey, RecordedState> expected = new HashMap<>();
  private final Set<RecordedKey> touched = new HashSet<>();
  private CheckedVersion position;
  private boolean isBegun;

  /** An object in the state of a client. */
  record Holding(String uid, CheckedVersion version) {
    static Holding of(RecordedState state) {
      return new Holding(state.uid(), state.version());
    }

    @Override
    public String toString() {
      return "uid %s at %s".formatted(uid, version);
    }
  }

  /** Callback for an event before it is applied. */
  interface OnEvent {
    void event(RecordedEvent event, Optional<Holding> before, Segment segment);
  }

  /** Callback for a position, with the objects whose state differs from the expected state. */
  interface OnPosition {
    void reached(Segment.Reached segment, ClientState client, List<RecordedKey> differing);
  }

  private ClientState(AnalyzedSession analyzed) {
    this.filteredTruth = analyzed.filteredTruth();
    this.position = analyzed.session().request().start().floor();
    if (!position.equals(CheckedVersion.NONE)) {
      startAt(position);
    }
  }

  /** Applies all events of a session, segment by segment. */
  static void replay(AnalyzedSession analyzed, OnEvent onEvent, OnPosition onPosition) {
    ClientState client = new ClientState(analyzed);
    for (Segment segment : analyzed.segments()) {
      if (segment instanceof Segment.Snapshot) {
        client.clear();
      }
      for (RecordedEvent event : segment.events()) {
        onEvent.event(event, client.of(event.key()), segment);
        client.apply(event);
      }
      if (segment instanceof Segment.Reached reached) {
        onPosition.reached(reached, client, client.moveTo(reached.to()));
      }
    }
  }

  /**
   * Fills both states with the matching objects. A client that names its start position holds these
   * objects, even if it was never sent them.
   */
  private void startAt(CheckedVersion start) {
    expected.putAll(filteredTruth.at(start));
    expected.forEach((key, state) -> holdings.put(key, Holding.of(state)));
    isBegun = true;
  }

  Optional<Holding> of(RecordedKey key) {
    return Optional.ofNullable(holdings.get(key));
  }

  /** Clears the state, because a snapshot replaces it. */
  private void clear() {
    touched.addAll(holdings.keySet());
    holdings.clear();
    isBegun = true;
  }

  private void apply(RecordedEvent event) {
    touched.add(event.key());
    if (event.kind() == RecordedKind.DELETED) {
      holdings.remove(event.key());
    } else {
      holdings.put(event.key(), new Holding(event.uid(), event.version()));
    }
  }

  /** Moves to a position. Returns the objects whose state differs from the expected state there. */
  private List<RecordedKey> moveTo(CheckedVersion to) {
    if (!isBegun) {
      startAt(to);
    } else if (position.equals(CheckedVersion.NONE)) {
      expected.putAll(filteredTruth.at(to));
      touched.addAll(expected.keySet());
    }
    CheckedVersion from = position.equals(CheckedVersion.NONE) ? to : position;
    for (FilteredTruth.Transition one : filteredTruth.between(from, to)) {
      FilteredTruth.apply(one, expected);
      touched.add(one.state().key());
    }
    position = to;
    List<RecordedKey> differing =
        touched.stream().filter(key -> !expected(key).equals(of(key))).toList();
    touched.clear();
    return differing;
  }

  /** Returns the expected state of an object. */
  Optional<Holding> expected(RecordedKey key) {
    return Optional.ofNullable(expected.get(key)).map(Holding::of);
  }
}
