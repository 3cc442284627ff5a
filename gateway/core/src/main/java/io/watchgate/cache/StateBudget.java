package io.watchgate.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Budget of the bytes of states ({@link CacheSettings.States}): of each type, and of all types
 * together, which is at most the room of the {@link HeapBudget}. Above the limit of the sum, the
 * largest of the types that are loading or growing has to end, so that small types continue. Above
 * that limit plus an eighth, every growing type has to end. Each writer counts its own share
 * without a lock: concurrent growth may exceed the sum for a moment.
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

  /**
   * Returns the maximum of bytes of all states now: less if other parts of the gateway use more.
   */
  long limit() {
    return Math.min(total, heap.roomForStates() / 9 * 8);
  }

  private static long hardLimit(long limit) {
    return limit + limit / 8;
  }

  /** Returns the bytes of all types, loading types included. */
  long used() {
    return used.get();
  }

  /** Opens the share of a new type. The caller has to give it back. */
  Share open() {
    Share share = new Share();
    shares.add(share);
    return share;
  }

  /** Bytes of one type. Written by the type's writer only. */
  final class Share {
    private volatile long held;
    private volatile boolean loading;

    /**
     * Sets the bytes of a first list.
     *
     * @throws StateTooLargeException if {@code bytes} exceed the limit of one type; or all types
     *     exceed their limit while no larger type is loading, or that limit and an eighth
     */
    void load(long bytes) {
      loading = true;
      long sum = setBytes(bytes);
      boolean fits = heap.reclaimForStates();
      long limit = limit();
      if (sum > hardLimit(limit)
          || ((sum > limit || !fits) && shares.stream().noneMatch(this::isOutgrownBy))) {
        throw totalExceeded(limit);
      }
    }

    private boolean isOutgrownBy(Share other) {
      return other.loading && other.held > held;
    }

    /**
     * Sets the bytes of a complete state.
     *
     * @throws StateTooLargeException if {@code bytes} exceed the limit of one type; or all types
     *     exceed their limit while no other type is larger or loading, or that limit and an eighth
     */
    void keep(long bytes) {
      loading = false;
      boolean grows = bytes > held;
      long sum = setBytes(bytes);
      boolean fits = heap.reclaimForStates();
      long limit = limit();
      if (grows
          && (sum > hardLimit(limit)
              || ((sum > limit || !fits) && shares.stream().noneMatch(this::endsAfter)))) {
        throw totalExceeded(limit);
      }
    }

    /**
     * Returns whether {@code other} has to end before this type: loading types end before complete
     * ones, and larger types before smaller ones.
     */
    private boolean endsAfter(Share other) {
      return other.held > held || (other.loading && other.held > 0);
    }

    /**
     * Sets the bytes of a relist, whose objects are in memory beside the objects of the state that
     * it replaces. They may exceed the limit of states while the heap has room.
     *
     * @param both bytes of the cached state and of the new objects
     * @param listed bytes of the list alone
     * @throws StateTooLargeException if the list alone exceeds the limit of one type, or both
     *     exceed the heap's
     */
    void relist(long both, long listed) {
      boolean grows = both > held;
      checkOwn(listed);
      add(both);
      if (grows && !heap.reclaimToFit()) {
        throw new StateTooLargeException(
            "a new list beside the present state needs more than the "
                + heap.limit()
                + " bytes that the heap has for everything",
            true);
      }
    }

    /**
     * Sets the bytes after a list that failed, whose objects are garbage.
     *
     * @param bytes bytes of the state that is still cached
     */
    void abandonList(long bytes) {
      loading = false;
      add(bytes);
    }

    private long setBytes(long bytes) {
      long sum = add(bytes);
      checkOwn(bytes);
      return sum;
    }

    private long add(long bytes) {
      long more = bytes - held;
      held = bytes;
      heap.addStateBytes(more);
      return used.addAndGet(more);
    }

    private void checkOwn(long bytes) {
      if (bytes > perType) {
        throw new StateTooLargeException(
            "its state needs more than the " + perType + " bytes that one type may occupy");
      }
    }

    private StateTooLargeException totalExceeded(long limit) {
      return new StateTooLargeException(
          "all types together need more than the " + limit + " bytes that they may occupy");
    }

    void release() {
      add(0);
      shares.remove(this);
    }
  }
}
