package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.ObjectView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Takes the objects of a list and makes a state of them. An object that is held already is taken
 * from there, so that a list that brings nothing new needs next to no memory. One use, not
 * thread-safe.
 *
 * <p>Held already is what has the same bytes, which lists and watches have of the same state. Uid
 * and resourceVersion do not tell: defaults, pruning and conversion are applied when an apiserver
 * reads, and an upgrade or another schema changes what it serves of objects that nobody wrote.
 */
final class ListCollector implements Upstream.ItemSink {
  private final StateMap held;
  private final FieldPaths paths;
  private final Bound bound;
  private List<ObjectView> objects = new ArrayList<>();
  private boolean sorted = true;
  private long bytes;
  private long others;

  /** May throw where that is too much. */
  interface Bound {
    /**
     * So much has come.
     *
     * @param bytes that the objects occupy
     * @param others of those, what is not held already
     */
    void taken(long bytes, long others);
  }

  ListCollector(StateMap held, FieldPaths paths, Bound bound) {
    this.held = held;
    this.paths = paths;
    this.bound = bound;
  }

  /** Takes in a list whose state takes the place of the held one. */
  static ListCollector replacing(StateMap held, FieldPaths paths, StateBudget.Share budget) {
    return new ListCollector(
        held,
        paths,
        held.size() == 0
            ? (bytes, others) -> budget.load(bytes)
            : (bytes, others) -> budget.keep(Math.max(bytes, held.objectBytes())));
  }

  /** What came is not a list of objects. Carries no content. */
  static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unreadable(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  public void item(byte[] object) {
    ObjectView view;
    try {
      view = ObjectView.read(object, paths);
    } catch (JsonException e) {
      throw new Unreadable("an object of a list could not be read: " + e.getMessage());
    }
    ObjectView known = held.get(view.key());
    if (known != null && known.sameStateAs(view) && Arrays.equals(known.bytes(), view.bytes())) {
      view = known;
    } else {
      others += view.retainedBytes();
    }
    if (!objects.isEmpty() && StateMap.compare(objects.getLast().key(), view.key()) >= 0) {
      sorted = false;
    }
    objects.add(view);
    bytes += view.retainedBytes();
    bound.taken(bytes, others);
  }

  int size() {
    return objects.size();
  }

  /**
   * The state that was listed. Where it differs little from what is held, it shares most of its
   * tree.
   *
   * @throws Unreadable if a key came twice: then it was not one list
   */
  StateMap state() {
    if (!sorted) { // an aggregated apiserver may list in an order of its own
      objects.sort(Comparator.comparing(ObjectView::key, StateMap::compare));
      for (int i = 1; i < objects.size(); i++) {
        if (StateMap.compare(objects.get(i - 1).key(), objects.get(i).key()) == 0) {
          throw new Unreadable("a list holds an object twice");
        }
      }
    }
    StateMap listed = StateMap.ofSorted(objects);
    objects = List.of(); // from here on the tree holds them
    return held.size() == 0 ? listed : sharing(listed);
  }

  /**
   * The held state, changed into the listed one path by path, unless so much changed that the new
   * tree is the smaller one.
   */
  private StateMap sharing(StateMap listed) {
    StateDiff diff = new StateDiff(held, listed, KeyRange.ALL);
    StateMap shared = held;
    int changes = 0;
    for (Change change = diff.next(); change != null; change = diff.next()) {
      if (++changes > held.size() / 8) {
        return listed;
      }
      ObjectView now = change.now();
      ObjectView old = change.old();
      shared = now != null ? shared.with(now) : old != null ? shared.without(old.key()) : shared;
    }
    return shared;
  }
}
