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
 * One pass over a state for many requests: five thousand node agents that start at once cost one
 * look at each pod, not five thousand. Each call does a bounded amount of work, so that the scan
 * can share a thread. Not thread-safe.
 *
 * @param <T> type of the requesters
 */
final class SharedScan<T> {
  /** Maximum number of ranges; with more, scanning everything costs less than sorting them. */
  private static final int MAX_RANGES = 4_096;

  /**
   * Request of a scan.
   *
   * @param selection selection, of the same type as all others
   * @param requester requester, unique among the requests
   */
  record Waiting<T>(CompiledSelection selection, T requester) {}

  /** Receiver of the results. */
  interface Sink<T> {
    /** Called in key order, for one object after the other. */
    void found(T who, KubeObject object);
  }

  private final StateMap state;
  private final Sink<? super T> sink;
  private final SelectionIndex<T> index = new SelectionIndex<>();
  private final Iterator<Waiting<T>> unindexed;
  private List<KeyRange> requestedRanges = new ArrayList<>();
  private @Nullable Iterator<KeyRange> ranges;
  private @Nullable StateCursor cursor;
  private long work;

  /**
   * Creates a scan that has not started.
   *
   * @param waiting requests; must not be changed until the scan is over
   */
  SharedScan(StateMap state, List<Waiting<T>> waiting, Sink<? super T> sink) {
    this.state = state;
    this.unindexed = waiting.iterator();
    this.sink = sink;
  }

  /**
   * Continues until requests indexed, objects read and objects delivered are {@code most} together.
   * The sum can be a little higher, because an object is delivered to all of its requesters.
   *
   * @return whether there is more to do
   */
  boolean run(int most) {
    for (long end = work + most; work < end; work++) {
      if (unindexed.hasNext()) {
        addRequest(unindexed.next());
      } else if (!advance()) {
        return false;
      }
    }
    return true;
  }

  private void addRequest(Waiting<T> next) {
    index.add(next.selection, next.requester);
    requestedRanges.addAll(SelectedKeyRanges.of(next.selection));
    if (requestedRanges.size() > MAX_RANGES) {
      requestedRanges = new ArrayList<>(List.of(KeyRange.ALL));
    }
  }

  /** Reads one object, or moves to the next range; returns false at the end. */
  private boolean advance() {
    StateCursor at = cursor;
    KubeObject object = at == null ? null : at.peek();
    if (at != null && object != null) {
      deliver(object);
      at.advance();
      return true;
    }
    if (ranges == null) {
      ranges = KeyRange.union(requestedRanges).iterator();
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
