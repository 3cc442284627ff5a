package io.watchgate.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a subscriber holds that applies what it hears, beside what it should hold. Walked over a
 * session's passages from the first to the last.
 */
final class ClientState {
  private final FilteredTruth selected;
  private final Map<RecordedKey, Holding> holdings = new HashMap<>();
  private final Map<RecordedKey, RecordedState> expected = new HashMap<>();
  private final Set<RecordedKey> touched = new HashSet<>();
  private CheckedVersion position;
  private boolean isBegun;

  /** An object as held. */
  record Holding(String uid, CheckedVersion version) {
    static Holding of(RecordedState state) {
      return new Holding(state.uid(), state.version());
    }

    @Override
    public String toString() {
      return "uid %s at %s".formatted(uid, version);
    }
  }

  /** Is told of an event before it is applied. */
  interface OnEvent {
    void event(RecordedEvent event, Optional<Holding> before, Segment passage);
  }

  /** Is told of a position, with the objects of which something else is held than matches there. */
  interface OnPosition {
    void reached(Segment.Reached passage, ClientState held, List<RecordedKey> differing);
  }

  private ClientState(AnalyzedSession examined) {
    this.selected = examined.selected();
    this.position = examined.session().start().floor();
    if (!position.equals(CheckedVersion.NONE)) {
      startAt(position);
    }
  }

  /** Applies all that a session heard, passage by passage. */
  static void walk(AnalyzedSession examined, OnEvent onEvent, OnPosition onPosition) {
    ClientState held = new ClientState(examined);
    for (Segment passage : examined.passages()) {
      if (passage instanceof Segment.Snapshot) {
        held.clear();
      }
      for (RecordedEvent event : passage.events()) {
        onEvent.event(event, held.of(event.key()), passage);
        held.apply(event);
      }
      if (passage instanceof Segment.Reached reached) {
        onPosition.reached(reached, held, held.reach(reached.to()));
      }
    }
  }

  /** Whoever says where to begin holds what matched there, whether it was ever sent that or not. */
  private void startAt(CheckedVersion start) {
    expected.putAll(selected.at(start));
    expected.forEach((key, state) -> holdings.put(key, Holding.of(state)));
    isBegun = true;
  }

  Optional<Holding> of(RecordedKey key) {
    return Optional.ofNullable(holdings.get(key));
  }

  /** A snapshot takes the place of all that is held. */
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

  /** Goes to a position. Returns the objects of which something else is held than matches there. */
  private List<RecordedKey> reach(CheckedVersion to) {
    if (!isBegun) {
      startAt(to);
    } else if (position.equals(CheckedVersion.NONE)) {
      expected.putAll(selected.at(to));
      touched.addAll(expected.keySet());
    }
    CheckedVersion from = position.equals(CheckedVersion.NONE) ? to : position;
    for (FilteredTruth.Transition one : selected.between(from, to)) {
      FilteredTruth.apply(one, expected);
      touched.add(one.state().key());
    }
    position = to;
    List<RecordedKey> differing = touched.stream().filter(key -> !isAsExpected(key)).toList();
    touched.clear();
    return differing;
  }

  private boolean isAsExpected(RecordedKey key) {
    return expected(key).equals(of(key));
  }

  /** What should be held. */
  Optional<Holding> expected(RecordedKey key) {
    return Optional.ofNullable(expected.get(key)).map(Holding::of);
  }
}
