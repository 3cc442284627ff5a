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
final class Held {
  private final Selected selected;
  private final Map<Key, Holding> holdings = new HashMap<>();
  private final Map<Key, State> expected = new HashMap<>();
  private final Set<Key> touched = new HashSet<>();
  private Version position;
  private boolean isBegun;

  /** An object as held. */
  record Holding(String uid, Version version) {
    static Holding of(State state) {
      return new Holding(state.uid(), state.version());
    }

    @Override
    public String toString() {
      return "uid %s at %s".formatted(uid, version);
    }
  }

  /** Is told of an event before it is applied. */
  interface OnEvent {
    void event(Event event, Optional<Holding> before, Passage passage);
  }

  /** Is told of a position, with the objects of which something else is held than matches there. */
  interface OnPosition {
    void reached(Passage.Reached passage, Held held, List<Key> differing);
  }

  private Held(Examined examined) {
    this.selected = examined.selected();
    this.position = examined.session().start().floor();
    if (!position.equals(Version.NONE)) {
      startAt(position);
    }
  }

  /** Applies all that a session heard, passage by passage. */
  static void walk(Examined examined, OnEvent onEvent, OnPosition onPosition) {
    Held held = new Held(examined);
    for (Passage passage : examined.passages()) {
      if (passage instanceof Passage.Snapshot) {
        held.clear();
      }
      for (Event event : passage.events()) {
        onEvent.event(event, held.of(event.key()), passage);
        held.apply(event);
      }
      if (passage instanceof Passage.Reached reached) {
        onPosition.reached(reached, held, held.reach(reached.to()));
      }
    }
  }

  /** Whoever says where to begin holds what matched there, whether it was ever sent that or not. */
  private void startAt(Version start) {
    expected.putAll(selected.at(start));
    expected.forEach((key, state) -> holdings.put(key, Holding.of(state)));
    isBegun = true;
  }

  Optional<Holding> of(Key key) {
    return Optional.ofNullable(holdings.get(key));
  }

  /** A snapshot takes the place of all that is held. */
  private void clear() {
    touched.addAll(holdings.keySet());
    holdings.clear();
    isBegun = true;
  }

  private void apply(Event event) {
    touched.add(event.key());
    if (event.kind() == Kind.DELETED) {
      holdings.remove(event.key());
    } else {
      holdings.put(event.key(), new Holding(event.uid(), event.version()));
    }
  }

  /** Goes to a position. Returns the objects of which something else is held than matches there. */
  private List<Key> reach(Version to) {
    if (!isBegun) {
      startAt(to);
    } else if (position.equals(Version.NONE)) {
      expected.putAll(selected.at(to));
      touched.addAll(expected.keySet());
    }
    Version from = position.equals(Version.NONE) ? to : position;
    for (Selected.Transition one : selected.between(from, to)) {
      Selected.apply(one, expected);
      touched.add(one.state().key());
    }
    position = to;
    List<Key> differing = touched.stream().filter(key -> !isAsExpected(key)).toList();
    touched.clear();
    return differing;
  }

  private boolean isAsExpected(Key key) {
    return expected(key).equals(of(key));
  }

  /** What should be held. */
  Optional<Holding> expected(Key key) {
    return Optional.ofNullable(expected.get(key)).map(Holding::of);
  }
}
