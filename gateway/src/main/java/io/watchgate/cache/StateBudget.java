package io.watchgate.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that states may occupy: each type's alone, and all together. Beyond the sum it is the
 * largest that has to end, of those that are being loaded or of those that grow, so that small ones
 * go on; an eighth beyond it, whoever takes more. Counted by the types' writers, each its own
 * share, without a lock: for a moment the sum may be exceeded by what comes at the same time.
 */
final class StateBudget {
  private final long perType;
  private final long total;
  private final long hardTotal;
  private final AtomicLong used = new AtomicLong();
  private final List<Share> shares = new CopyOnWriteArrayList<>();

  StateBudget(long perType, long total) {
    this.perType = perType;
    this.total = total;
    this.hardTotal = total + total / 8;
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
      if (sum > hardTotal || (sum > total && shares.stream().noneMatch(this::isOutgrownBy))) {
        throw overTotal();
      }
    }

    private boolean isOutgrownBy(Share other) {
      return other.loading && other.held > held;
    }

    /**
     * Takes as much for a state that is held already.
     *
     * @throws TooLarge if that is too much for one, or for all and none is larger
     */
    void keep(long bytes) {
      loading = false;
      boolean grows = bytes > held;
      long sum = take(bytes);
      if (grows
          && (sum > hardTotal
              || (sum > total && shares.stream().noneMatch(other -> other.held > held)))) {
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
