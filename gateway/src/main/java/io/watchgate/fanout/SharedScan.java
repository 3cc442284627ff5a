package io.watchgate.fanout;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateMap;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a state for many who wait for what matches there: five thousand node agents that
 * come at once cost one look at each pod, not five thousand. Does as much at a time as it is told,
 * so that it can share a thread. Not thread-safe.
 *
 * @param <T> who waits
 */
final class SharedScan<T> {
  /** With more ranges than this, looking at everything costs less than sorting them. */
  private static final int MAX_RANGES = 4_096;

  /**
   * One who waits.
   *
   * @param selection of the same type as all others
   * @param who is there once
   */
  record Waiting<T>(CompiledSelection selection, T who) {}

  /** Takes what is found. */
  interface Sink<T> {
    /** Is called in the order of keys, for one object after the other. */
    void found(T who, KubeObject object);
  }

  private final StateMap state;
  private final Sink<? super T> sink;
  private final SelectionIndex<T> index = new SelectionIndex<>();
  private final Iterator<Waiting<T>> unfiled;
  private List<KeyRange> asked = new ArrayList<>();
  private @Nullable Iterator<KeyRange> ranges;
  private @Nullable StateCursor cursor;
  private long work;

  /**
   * A scan of which nothing is done yet.
   *
   * @param waiting not to be changed until the scan is over
   */
  SharedScan(StateMap state, List<Waiting<T>> waiting, Sink<? super T> sink) {
    this.state = state;
    this.unfiled = waiting.iterator();
    this.sink = sink;
  }

  /**
   * Goes on until it has filed, looked at and delivered {@code most} together, a little more if
   * many wait for the same object: it goes to all of them.
   *
   * @return whether there is more to do
   */
  boolean step(int most) {
    for (long end = work + most; work < end; work++) {
      if (unfiled.hasNext()) {
        file(unfiled.next());
      } else if (!look()) {
        return false;
      }
    }
    return true;
  }

  private void file(Waiting<T> next) {
    index.add(next.selection, next.who);
    asked.addAll(KeyRanges.of(next.selection));
    if (asked.size() > MAX_RANGES) {
      asked = new ArrayList<>(List.of(KeyRange.ALL));
    }
  }

  /** Looks at one object, or goes to the next range; false at the end. */
  private boolean look() {
    StateCursor at = cursor;
    KubeObject object = at == null ? null : at.peek();
    if (at != null && object != null) {
      deliver(object);
      at.advance();
      return true;
    }
    if (ranges == null) {
      ranges = KeyRange.union(asked).iterator();
    }
    if (!ranges.hasNext()) {
      return false;
    }
    cursor = state.cursor(ranges.next());
    return true;
  }

  private void deliver(KubeObject object) {
    index.match(
        null,
        object,
        (who, before, after) -> {
          work++;
          sink.found(who, object);
        });
  }
}
