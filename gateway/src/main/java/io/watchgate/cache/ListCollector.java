package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Takes the objects of a list and makes a state of them. An object that is held already is taken
 * from there, so that a list that brings nothing new needs next to no memory. One use, not
 * thread-safe.
 *
 * <p>Held already is what has the same uid and version and is the same JSON value: lists, streaming
 * lists and watches may print one state in several forms, and that is no change. Uid and version
 * alone do not tell: defaults, pruning and conversion are applied when an apiserver reads, and an
 * upgrade or another schema changes what it serves of objects that nobody wrote.
 *
 * <p>An object that cannot be read is left out ({@link SkippedObjects}). Of two with one key the
 * one with the later version counts.
 */
final class ListCollector implements Upstream.ItemSink {
  /** Empty once the list is complete: the watch after it may keep this for long. */
  private StateMap held;

  private final FieldPaths paths;
  private final SkippedObjects skipped;
  private final Bound bound;
  private List<KubeObject> objects = new ArrayList<>();
  private boolean sorted = true;
  private long bytes;
  private long others;

  /** Objects that were left out since they bear no version that has an order. */
  private long unordered;

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

  ListCollector(StateMap held, FieldPaths paths, SkippedObjects skipped, Bound bound) {
    this.held = held;
    this.paths = paths;
    this.skipped = skipped;
    this.bound = bound;
  }

  /** Takes in a list whose state takes the place of the held one. */
  static ListCollector replacing(
      StateMap held, FieldPaths paths, SkippedObjects skipped, StateBudget.Share budget) {
    long heldBytes = held.objectBytes();
    return new ListCollector(
        held,
        paths,
        skipped,
        held.size() == 0
            ? (bytes, others) -> budget.load(bytes)
            : (bytes, others) -> budget.relist(heldBytes + others, bytes));
  }

  /**
   * Reads an object for a state.
   *
   * @throws UnreadableObjectException also if its version has no order: without one it is at no
   *     place in history
   */
  static KubeObject read(byte[] object, FieldPaths paths) throws UnreadableObjectException {
    KubeObject view = KubeObject.read(object, paths);
    if (ResourceVersion.parse(view.resourceVersion()) == null) {
      throw withoutOrder(view);
    }
    return view;
  }

  static UnreadableObjectException withoutOrder(KubeObject object) {
    return new UnreadableObjectException(
        "its metadata.resourceVersion is no decimal number",
        Optional.of(object.key()),
        object.resourceVersion());
  }

  @Override
  public void item(byte[] object) {
    try {
      take(read(object, paths));
    } catch (UnreadableObjectException e) {
      leaveOut(e, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void unreadable(byte[] beginning, String problem) {
    try {
      take(read(beginning, paths));
    } catch (UnreadableObjectException e) {
      leaveOut(e, problem);
    }
  }

  private void leaveOut(UnreadableObjectException object, String problem) {
    if (object.key().isPresent() && ResourceVersion.parse(object.resourceVersion()) == null) {
      unordered++;
    }
    skipped.skip(object.key(), problem);
  }

  private void take(KubeObject read) {
    skipped.forget(read.key());
    KubeObject view = read;
    KubeObject known = held.get(view.key());
    if (known != null && known.sameContentAs(view)) {
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
   * @throws WatchApplier.Unordered if no object bears a version that has an order, and there are
   *     several: then the type has none
   */
  StateMap state() {
    if (objects.isEmpty() && unordered > 1) {
      throw new WatchApplier.Unordered();
    }
    if (!sorted) { // an aggregated apiserver may list in an order of its own
      objects.sort(
          Comparator.comparing(KubeObject::key, StateMap::compare)
              .thenComparing(object -> WatchApplier.ordered(object.resourceVersion())));
      withoutEarlierOnes();
    }
    StateMap listed = StateMap.ofSorted(objects);
    objects = List.of(); // from here on the tree holds them
    StateMap before = held;
    held = StateMap.EMPTY;
    return before.size() == 0 ? listed : sharing(before, listed);
  }

  private void withoutEarlierOnes() {
    List<KubeObject> last = new ArrayList<>(objects.size());
    for (KubeObject object : objects) {
      if (!last.isEmpty() && last.getLast().sameKeyAs(object)) {
        last.removeLast();
        skipped.report(
            "a list holds " + object.namespace() + "/" + object.name() + " twice",
            "the one with the later resourceVersion is served");
      }
      last.add(object);
    }
    objects = last;
  }

  /**
   * The held state, changed into the listed one path by path, unless so much changed that the new
   * tree is the smaller one.
   */
  private static StateMap sharing(StateMap before, StateMap listed) {
    StateDiff diff = new StateDiff(before, listed, KeyRange.ALL);
    StateMap shared = before;
    int changes = 0;
    for (Change change = diff.next(); change != null; change = diff.next()) {
      if (++changes > before.size() / 8) {
        return listed;
      }
      KubeObject now = change.now();
      KubeObject old = change.old();
      shared = now != null ? shared.with(now) : old != null ? shared.without(old.key()) : shared;
    }
    return shared;
  }
}
