package io.watchgate.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Budget of the complete heap, shared by all parts of a gateway. Each part has a limit of its own;
 * this budget limits their sum, so that a full heap leads to a refusal with a reason and not to an
 * OutOfMemoryError.
 *
 * <table>
 * <caption>Parts of the heap, and where they are counted</caption>
 * <tr><td>the program: classes, threads, transport</td><td>{@link HeapSettings#PROGRAM_BYTES}; more, if {@link #recordFullCollection} finds it</td></tr>
 * <tr><td>garbage, and memory that a collector cannot use</td><td>a sixth of the heap, never given out</td></tr>
 * <tr><td>objects of all types, 250 bytes each beside their JSON; during a relist the new ones
 * beside the old</td><td>{@link StateBudget}</td></tr>
 * <tr><td>history: superseded objects, and 1.3 KB a change</td><td>{@link ReclaimableType#historyBytes}</td></tr>
 * <tr><td>laggards: objects of revisions behind history</td><td>{@link Pins#bytes}</td></tr>
 * <tr><td>history that is being backfilled</td><td>{@link #reserve}</td></tr>
 * <tr><td>streams, running snapshots, unread answers</td><td>{@link #register}</td></tr>
 * </table>
 *
 * <p>Responses that wait for slow readers, and incomplete requests, are in buffers outside the
 * heap. Three parts are not counted; the sixth of the heap that is never given out has room for
 * them. The first is an object while it is read: at most four times its size. The second is the
 * frames of live streams: the changes of one second. The third is bytes from the apiserver that are
 * not read yet: 64 KiB a type.
 *
 * <p>When the sum is exceeded, the least valuable memory is released first. First, history of the
 * types that have most, down to a sixty-fourth of the budget each. Second, revisions that laggards
 * pin, the largest first (their streams get a new snapshot or end, as their policy says). Third,
 * the rest of history. If memory is still short, new streams and snapshots are refused ({@link
 * #isShort}), and only a type that grows is ended. Each stage frees a sixteenth more than it must,
 * so that it does not run for each change.
 *
 * <p>Released memory can be collected only after the streams that read it have moved on, which
 * takes a busy machine a second or more. Until then {@link #mustWaitForCollection} counts it: if
 * the released memory and the memory in use take half of the collector's reserve, reflectors stop
 * reading. Otherwise new changes would use memory that is not free yet.
 *
 * <p>These are estimates. {@link #recordFullCollection} receives the heap use after a collection,
 * and the bytes that no part accounts for are taken from the budget.
 *
 * <p>Thread-safe. One lock is held while history is trimmed, never while a response is sent.
 */
public final class HeapBudget {
  private static final Logger log = LoggerFactory.getLogger(HeapBudget.class);

  /** Number of updates, three seconds, after which all released memory is collectable. */
  private static final int RECENT_UPDATES = 30;

  /** Fill level of the heap below which unaccounted memory may well be garbage. */
  private static final double FULL = 0.75;

  /** Divisor by which the unaccounted bytes decrease with each update. */
  private static final int DECAY_DIVISOR = 64;

  /** Divisor by which the settling bytes decrease with each update: a tenth is left after 1.7 s. */
  private static final int SETTLING_DIVISOR = 8;

  /** Part of the heap below which settling bytes do not pause reflectors. */
  private static final int NEGLIGIBLE_DIVISOR = 128;

  private final long heap;
  private final long limit;
  private final AtomicLong states = new AtomicLong();
  private final AtomicLong history = new AtomicLong();
  private final AtomicLong reserved = new AtomicLong();
  private final List<ReclaimableType> types = new CopyOnWriteArrayList<>();
  private final List<Share> counted = new CopyOnWriteArrayList<>();
  private final ReentrantLock reclaiming = new ReentrantLock();
  private volatile long pinned;
  private volatile long countedBytes;

  /** History that was trimmed lately, which streams may still read. */
  private final AtomicLong trimmed = new AtomicLong();

  /** Revisions behind history that were given up and that streams still hold. */
  private final AtomicLong releasedPins = new AtomicLong();

  /** Written under the lock of this. */
  private volatile long unaccounted;

  /** Recent maximum of the bytes that the parts had: released memory may not be collectable yet. */
  private volatile long recentUse;

  private volatile boolean isShort;

  /**
   * @param heap maximum heap of the JVM in bytes
   */
  public HeapBudget(long heap) {
    this.heap = heap;
    this.limit =
        Math.max(0, heap - heap / HeapSettings.GARBAGE_DIVISOR - HeapSettings.PROGRAM_BYTES);
  }

  /**
   * Returns the budget of a heap of which a part is reserved for objects that are limited
   * elsewhere.
   *
   * @param bytes size of this part
   */
  public static HeapBudget withReserved(long bytes, long heap) {
    HeapBudget budget = new HeapBudget(heap);
    var _ = budget.reserve(bytes);
    return budget;
  }

  /** Returns a budget that is never used up. */
  static HeapBudget unbounded() {
    return new HeapBudget(Long.MAX_VALUE);
  }

  /** Type whose history and pins can be released. */
  interface ReclaimableType {
    long historyBytes();

    /** Trims the oldest revisions until history has at most {@code bytes}. */
    void trimHistory(long bytes);

    long pinnedBytes();

    /** Requires streams to release revisions that they pin behind history. */
    void releasePins();

    /** Bytes of such revisions that streams have to release and still hold. */
    long releasedPinBytes();
  }

  /** Revisions behind history that laggards pin. */
  public interface Pins {
    /** For a type without streams. */
    Pins NONE =
        new Pins() {
          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public long releasedPinBytes() {
            return 0;
          }
        };

    /** Returns the bytes that nothing else keeps reachable, without those to be released. */
    long bytes();

    /** Bytes that streams have to release and still hold. */
    long releasedPinBytes();
  }

  /**
   * Memory of one part of the gateway.
   *
   * @param used bytes in use
   * @param limit maximum of bytes
   */
  public record Part(String name, long used, long limit) {}

  private record Share(String name, long limit, LongSupplier now) {}

  /** Returns the maximum of bytes of all parts together, without the program. */
  public long limit() {
    return limit;
  }

  /** Returns the maximum heap of the JVM. */
  public long heap() {
    return heap;
  }

  /** Returns the bytes of all parts together, and the unaccounted bytes. */
  public long used() {
    return states.get() + history.get() + reserved.get() + pinned + countedBytes + unaccounted;
  }

  /**
   * Returns whether new streams and snapshots have to be refused: nearly all memory is in use, and
   * nothing is left to release.
   */
  public boolean isShort() {
    return isShort;
  }

  /**
   * Returns whether new changes have to wait for released memory that may not be collected yet.
   * They wait if it and the memory in use take half of the collector's reserve.
   */
  public boolean mustWaitForCollection() {
    long settling = settling();
    return settling > heap / NEGLIGIBLE_DIVISOR
        && used() + settling > limit + heap / HeapSettings.GARBAGE_DIVISOR / 2;
  }

  private long settling() {
    return trimmed.get() + releasedPins.get();
  }

  /**
   * Registers a part with its own limit.
   *
   * @param limitBytes maximum of bytes of the part
   * @param now bytes in use; called on any thread
   */
  public void register(String name, long limitBytes, LongSupplier now) {
    counted.add(new Share(name, limitBytes, now));
  }

  /** Returns all parts, their sum first. */
  public List<Part> parts() {
    long roomForHistory =
        Math.max(0, limit - reserved.get() - countedBytes - unaccounted - states.get());
    List<Part> all = new ArrayList<>();
    all.add(new Part("all", used(), limit));
    all.add(new Part("states", states.get(), Math.max(0, roomForStates())));
    all.add(new Part("history", history.get(), roomForHistory));
    all.add(new Part("laggards", pinned, roomForHistory));
    all.add(new Part("backfill", reserved.get(), roomForHistory));
    all.add(new Part("unaccounted", unaccounted, limit));
    all.add(new Part("settling", settling(), heap / HeapSettings.GARBAGE_DIVISOR / 2));
    for (Share part : counted) {
      all.add(new Part(part.name, part.now.getAsLong(), part.limit));
    }
    return all;
  }

  // ---- reported by caches

  void add(ReclaimableType type) {
    types.add(type);
  }

  /** Removes a type that has ended. */
  void remove(ReclaimableType type) {
    types.remove(type);
  }

  void addStateBytes(long bytes) {
    states.addAndGet(bytes);
  }

  /** Adds the growth of a type's history; negative if it shrank. */
  void addHistoryBytes(long bytes) {
    history.addAndGet(bytes);
  }

  /** Returns whether all parts fit the budget, after releasing history and pins if necessary. */
  boolean reclaimToFit() {
    if (used() > limit) {
      reclaim();
      return used() <= limit;
    }
    return true;
  }

  /**
   * Returns the maximum bytes of all states: 29/32 of the limit, or less if other parts use much.
   * Memory that cannot be released may first use half of the collector's reserve. Only the excess
   * is taken from the states.
   */
  long roomForStates() {
    return Math.min(
        limit - 3 * (limit / HeapSettings.RESERVE_DIVISOR),
        limit
            + heap / HeapSettings.GARBAGE_DIVISOR / 2
            - reserved.get()
            - countedBytes
            - unaccounted);
  }

  /** Returns whether states fit, after releasing history and pins if necessary. */
  boolean reclaimForStates() {
    return reclaimToFit() || states.get() <= roomForStates();
  }

  /**
   * Reserves up to {@code bytes} for history that is being backfilled; returns the granted bytes,
   * which the caller has to give back.
   */
  synchronized long reserve(long bytes) { // backfills of several types begin at the same time
    long granted = Math.clamp(limit - limit / HeapSettings.SLACK_DIVISOR - used(), 0, bytes);
    reserved.addAndGet(granted);
    return granted;
  }

  void releaseReserved(long granted) {
    reserved.addAndGet(-granted);
  }

  // ---- periodic updates

  /**
   * Updates the use of the parts that do not report by themselves; called ten times a second. The
   * unaccounted bytes of the last collection decrease meanwhile, to half in about five seconds,
   * because they may have been garbage. While new requests are refused, the next collection may be
   * far away. The next collection finds them again if they are still there.
   */
  public void updateUsage() {
    decayUnaccounted();
    trimmed.getAndUpdate(bytes -> bytes - (bytes + SETTLING_DIVISOR - 1) / SETTLING_DIVISOR);
    update();
  }

  private synchronized void decayUnaccounted() {
    long found = unaccounted;
    unaccounted = found - found / DECAY_DIVISOR;
  }

  private synchronized void setUnaccounted(long bytes) {
    unaccounted = bytes;
  }

  private void update() {
    long sum = 0;
    for (Share part : counted) {
      sum += part.now.getAsLong();
    }
    countedBytes = sum;
    pinned = types.stream().mapToLong(ReclaimableType::pinnedBytes).sum();
    releasedPins.set(types.stream().mapToLong(ReclaimableType::releasedPinBytes).sum());
    recentUse = Math.max(used() - unaccounted, recentUse - limit / RECENT_UPDATES);
    if (used() > limit) {
      reclaim();
    } else {
      updateShortage();
    }
  }

  /**
   * Records the heap use after a collection of the complete heap. If it exceeds three quarters of
   * the heap, the bytes that no part accounts for are taken from the budget.
   */
  public void recordFullCollection(long bytes) {
    setUnaccounted(bytes > heap * FULL ? unaccountedOf(bytes) : 0);
    update();
  }

  /**
   * Records the heap use after a partial collection, an upper bound that may include garbage. It
   * can lower the unaccounted bytes that were found before, but not raise them.
   */
  public void recordPartialCollection(long bytes) {
    if (unaccounted > 0) {
      setUnaccounted(bytes > heap * FULL ? Math.min(unaccounted, unaccountedOf(bytes)) : 0);
      update();
    }
  }

  private long unaccountedOf(long bytes) {
    long known =
        Math.max(recentUse, used() - unaccounted)
            + HeapSettings.PROGRAM_BYTES
            + HeapSettings.PROGRAM_IN_USE_BYTES;
    return Math.max(0, bytes - known);
  }

  private void reclaim() {
    reclaiming.lock();
    try {
      long excess = used() - (limit - limit / HeapSettings.SLACK_DIVISOR);
      if (used() > limit) {
        trimHistories(excess, limit / HeapSettings.MIN_HISTORY_DIVISOR);
      }
      if (used() > limit) {
        releasePins();
      }
      if (used() > limit) {
        trimHistories(used() - (limit - limit / HeapSettings.SLACK_DIVISOR), 0);
      }
      updateShortage();
    } finally {
      reclaiming.unlock();
    }
  }

  /** Trims the largest histories first, all to the same size. */
  private void trimHistories(long excess, long least) {
    List<Size> sizes = largestFirst(ReclaimableType::historyBytes);
    long level = least;
    long above = 0;
    for (int i = 0; i < sizes.size(); i++) {
      above += sizes.get(i).bytes;
      long next = i + 1 < sizes.size() ? sizes.get(i + 1).bytes : 0;
      // Size of the first i + 1 histories that frees the excess; enough if above the next one.
      long needed = (above - excess) / (i + 1);
      if (needed >= next) {
        level = Math.max(least, needed);
        break;
      }
    }
    for (Size size : sizes) {
      if (size.bytes > level) {
        size.type.trimHistory(level);
        trimmed.addAndGet(Math.max(0, size.bytes - size.type.historyBytes()));
      }
    }
  }

  private void releasePins() {
    for (Size size : largestFirst(ReclaimableType::pinnedBytes)) {
      if (used() <= limit - limit / HeapSettings.SLACK_DIVISOR || size.bytes == 0) {
        break;
      }
      size.type.releasePins();
      pinned = Math.max(0, pinned - size.bytes); // not pinned again
      releasedPins.addAndGet(size.bytes); // until the next update
    }
  }

  /** Size of a type at one moment: sizes change during the sort. */
  private record Size(ReclaimableType type, long bytes) {}

  private List<Size> largestFirst(ToLongFunction<ReclaimableType> bytes) {
    return types.stream()
        .map(type -> new Size(type, bytes.applyAsLong(type)))
        .sorted(Comparator.comparingLong(Size::bytes).reversed())
        .toList();
  }

  private void updateShortage() {
    long fixed = used() - history.get() - pinned;
    // Ends at a lower use than it begins at, so that it does not oscillate.
    boolean now = fixed > limit - limit / HeapSettings.RESERVE_DIVISOR * (isShort ? 2 : 1);
    if (now != isShort) {
      isShort = now;
      if (now) {
        log.warn(
            "the heap is full: {} of {} MiB are in use and no more can be released; new"
                + " streams and snapshots are refused (MEMORY). Give the gateway a larger heap.",
            used() >> 20,
            limit >> 20);
      } else {
        log.info("the heap has room again; new streams and snapshots are accepted");
      }
    }
  }
}
