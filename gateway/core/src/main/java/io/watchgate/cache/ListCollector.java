package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Collector of the objects of a list, which builds a state. An object that is cached already is
 * reused, so that a list without new objects needs almost no memory. For one list; not thread-safe.
 *
 * <p>An object counts as cached if the cached object has the same uid and version and is the same
 * JSON value. Lists, streaming lists and watches may print one state in several forms, and that is
 * no change. Uid and version alone are not enough: an apiserver applies defaults, pruning and
 * conversion on reading, and an upgrade or another schema changes the served form of objects
 * without a write.
 *
 * <p>An object that cannot be read is left out ({@link SkippedObjects}). Of two objects with one
 * key, the object with the later version is kept.
 */
final class ListCollector implements Upstream.ItemSink {
  /** Empty once the list is complete: the watch after the list may keep this collector for long. */
  private StateMap cached;

  private final FieldPaths paths;
  private final SkippedObjects skipped;
  private final Bound bound;
  private List<KubeObject> objects = new ArrayList<>();
  private boolean sorted = true;
  private long bytes;
  private long newBytes;

  /** Number of objects that were left out because they have no version with an order. */
  private long unordered;

  /** Limit of the listed bytes; may throw if it is exceeded. */
  interface Bound {
    /**
     * Records the bytes so far.
     *
     * @param bytes bytes that the objects occupy
     * @param others the part of these bytes that is not cached already
     */
    void check(long bytes, long others);
  }

  ListCollector(StateMap cached, FieldPaths paths, SkippedObjects skipped, Bound bound) {
    this.cached = cached;
    this.paths = paths;
    this.skipped = skipped;
    this.bound = bound;
  }

  /** Returns a collector for a list whose state replaces the cached state. */
  static ListCollector replacing(
      StateMap cached, FieldPaths paths, SkippedObjects skipped, StateBudget.Share budget) {
    long heldBytes = cached.objectBytes();
    return new ListCollector(
        cached,
        paths,
        skipped,
        cached.size() == 0
            ? (bytes, others) -> budget.load(bytes)
            : (bytes, others) -> budget.relist(heldBytes + others, bytes));
  }

  /**
   * Reads an object for a state.
   *
   * @throws UnreadableObjectException also if its version has no order: without an order the object
   *     has no position in history
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
        "its metadata.resourceVersion is not a decimal number",
        Optional.of(object.key()),
        object.resourceVersion());
  }

  @Override
  public void item(byte[] object) {
    try {
      add(read(object, paths));
    } catch (UnreadableObjectException e) {
      skip(e, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void unreadable(byte[] beginning, String problem) {
    try {
      add(read(beginning, paths));
    } catch (UnreadableObjectException e) {
      skip(e, problem);
    }
  }

  private void skip(UnreadableObjectException object, String problem) {
    if (object.key().isPresent() && ResourceVersion.parse(object.resourceVersion()) == null) {
      unordered++;
    }
    skipped.skip(object.key(), problem);
  }

  private void add(KubeObject read) {
    skipped.forget(read.key());
    KubeObject view = read;
    KubeObject known = cached.get(view.key());
    if (known != null && known.hasSameContentAs(view)) {
      view = known;
    } else {
      newBytes += view.retainedBytes();
    }
    if (!objects.isEmpty() && StateMap.compare(objects.getLast().key(), view.key()) >= 0) {
      sorted = false;
    }
    objects.add(view);
    bytes += view.retainedBytes();
    bound.check(bytes, newBytes);
  }

  /**
   * Returns the listed state. If it differs little from the cached state, it shares most of the
   * cached tree.
   *
   * @throws WatchApplier.Unordered if there are several objects and none has a version with an
   *     order: then the type has none
   */
  StateMap state() {
    if (objects.isEmpty() && unordered > 1) {
      throw new WatchApplier.Unordered();
    }
    if (!sorted) { // an aggregated apiserver may list in an order of its own
      objects.sort(
          Comparator.comparing(KubeObject::key, StateMap::compare)
              .thenComparing(object -> WatchApplier.requireOrdered(object.resourceVersion())));
      removeEarlierDuplicates();
    }
    StateMap listed = StateMap.ofSorted(objects);
    objects = List.of(); // from here on only the tree references the objects
    StateMap before = cached;
    cached = StateMap.EMPTY;
    return before.size() == 0 ? listed : sharedState(before, listed);
  }

  private void removeEarlierDuplicates() {
    List<KubeObject> last = new ArrayList<>(objects.size());
    for (KubeObject object : objects) {
      if (!last.isEmpty() && last.getLast().hasSameKeyAs(object)) {
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
   * Returns the cached state, changed into the listed state path by path. If too much changed,
   * returns the listed state, because the new tree is smaller.
   */
  private static StateMap sharedState(StateMap before, StateMap listed) {
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
