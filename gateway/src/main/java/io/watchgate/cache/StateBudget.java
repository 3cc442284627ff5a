package io.watchgate.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that states may occupy: each type's alone, and all together, which is no more than the
 * {@link HeapBudget} has room for. Beyond the sum it is the largest that has to end, of those that
 * are being loaded or of those that grow, so that small ones go on; an eighth beyond it, any type
 * that takes more. Counted by the types' writers, each its own share, without a lock: for a moment
 * the sum may be exceeded by what comes at the same time.
 */
final class StateBudget {
  private final long perType;
  private final long total;
  private final HeapBudget heap;
  private final AtomicLong used = new AtomicLong();
  private final List<Share> shares = new CopyOnWriteArrayList<>();

  StateBudget(long perType, long total, HeapBudget heap) {
    this.perType = perType;
    this.total = total;
    this.heap = heap;
  }

  StateBudget(CacheSettings settings, HeapBudget heap) {
    this(settings.states().perType(), settings.states().total(), heap);
  }

  /** The state would be larger than its budget. Its message says which. */
  static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Whether it might fit once the state that is held is gone. */
    final boolean besideHeld;

    TooLarge(String message) {
      this(message, false);
    }

    private TooLarge(String message, boolean besideHeld) {
      super(message, null, false, false);
      this.besideHeld = besideHeld;
    }
  }

  /** The most that all may occupy now: less where other parts of the gateway take more. */
  long limit() {
    return Math.min(total, heap.roomForStates() / 9 * 8);
  }

  private static long hard(long limit) {
    return limit + limit / 8;
  }

  /** Bytes that all types occupy, those included that are being loaded. */
  long used() {
    return used.get();
  }

  /** The share of a new type. It is to be given back. */
  Share open() {
    Share share = new Share();
    shares.add(share);
    return share;
  }

  /** What one type occupies. Written by its one writer. */
  final class Share {
    private volatile long held;
    private volatile boolean loading;

    /**
     * Takes as much for a first list.
     *
     * @throws TooLarge if that is too much for one, or for all and none that is loaded is larger
     */
    void load(long bytes) {
      loading = true;
      long sum = take(bytes);
      boolean fits = heap.statesFit();
      long limit = limit();
      if (sum > hard(limit)
          || ((sum > limit || !fits) && shares.stream().noneMatch(this::isOutgrownBy))) {
        throw overTotal(limit);
      }
    }

    private boolean isOutgrownBy(Share other) {
      return other.loading && other.held > held;
    }

    /**
     * Takes as much for a state that is held already.
     *
     * @throws TooLarge if that is too much for one, or for all and none is larger or being loaded
     */
    void keep(long bytes) {
      loading = false;
      boolean grows = bytes > held;
      long sum = take(bytes);
      boolean fits = heap.statesFit();
      long limit = limit();
      if (grows
          && (sum > hard(limit)
              || ((sum > limit || !fits) && shares.stream().noneMatch(this::endsAfter)))) {
        throw overTotal(limit);
      }
    }

    /** A list that is loaded is given up before a state that is held, and a larger state before. */
    private boolean endsAfter(Share other) {
      return other.held > held || (other.loading && other.held > 0);
    }

    /**
     * Takes as much for a list anew, whose objects are held beside those of the state that it
     * replaces. It may be more than states may have, as long as the heap has it.
     *
     * @param both of the state that is held and of the new objects
     * @param listed of the list alone
     * @throws TooLarge if the list alone is too much for one, or both are for the heap
     */
    void relist(long both, long listed) {
      boolean grows = both > held;
      checkOwn(listed);
      add(both);
      if (grows && !heap.fits()) {
        throw new TooLarge(
            "more than the "
                + heap.limit()
                + " bytes that the heap has for everything, while it is listed anew beside the"
                + " state that is held",
            true);
      }
    }

    private long take(long bytes) {
      long sum = add(bytes);
      checkOwn(bytes);
      return sum;
    }

    private long add(long bytes) {
      long more = bytes - held;
      held = bytes;
      heap.statesGrow(more);
      return used.addAndGet(more);
    }

    private void checkOwn(long bytes) {
      if (bytes > perType) {
        throw new TooLarge("more than the " + perType + " bytes that one type may occupy");
      }
    }

    private TooLarge overTotal(long limit) {
      return new TooLarge("more than the " + limit + " bytes that all types may occupy together");
    }

    void giveBack() {
      add(0);
      shares.remove(this);
    }
  }
}
