package io.watchgate.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that states may occupy: each type's alone, and all together. Beyond the sum, a type
 * that is being loaded is refused, and among those that are held it is the largest that has to end,
 * so that small ones go on. Counted by the types' writers, each its own share, without a lock: for
 * a moment the sum may be exceeded by what comes at the same time.
 */
final class StateBudget {
  private final long perType;
  private final long total;
  private final AtomicLong used = new AtomicLong();
  private final List<Share> shares = new CopyOnWriteArrayList<>();

  StateBudget(long perType, long total) {
    this.perType = perType;
    this.total = total;
  }

  StateBudget(CacheSettings settings) {
    this(settings.states().perType(), settings.states().total());
  }

  /** The state would be larger than its budget. Its message says which. */
  static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLarge(String message) {
      super(message, null, false, false);
    }
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

    /**
     * Takes as much for a first list.
     *
     * @throws TooLarge if that is too much for one, or for all
     */
    void load(long bytes) {
      if (take(bytes) > total) {
        throw overTotal();
      }
    }

    /**
     * Takes as much for a state that is held already.
     *
     * @throws TooLarge if that is too much for one, or for all and this is the largest
     */
    void keep(long bytes) {
      boolean grows = bytes > held;
      if (take(bytes) > total && grows && shares.stream().allMatch(s -> s.held <= held)) {
        throw overTotal();
      }
    }

    private long take(long bytes) {
      long sum = used.addAndGet(bytes - held);
      held = bytes;
      if (bytes > perType) {
        throw new TooLarge("more than the " + perType + " bytes that one type may occupy");
      }
      return sum;
    }

    private TooLarge overTotal() {
      return new TooLarge("more than the " + total + " bytes that all types may occupy together");
    }

    void giveBack() {
      used.addAndGet(-held);
      held = 0;
      shares.remove(this);
    }
  }
}
