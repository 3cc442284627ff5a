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
 * Budget of the whole heap, shared by everything that a gateway keeps. Each part has a bound of its
 * own, and their sum has this one, so that a heap of any size ends in a refusal with a reason and
 * not in an OutOfMemoryError.
 *
 * <table>
 * <caption>What takes heap, and where it is counted</caption>
 * <tr><td>the program: classes, threads, transport</td><td>{@link #PROGRAM_BYTES}; more, if {@link #occupied} finds it</td></tr>
 * <tr><td>garbage, and what a collector cannot use</td><td>a sixth of the heap, never given out</td></tr>
 * <tr><td>objects of all types, 250 bytes each beside their JSON; during a list anew the new ones
 * beside the old</td><td>{@link StateBudget}</td></tr>
 * <tr><td>history: superseded objects, 1.1 KB a change</td><td>{@link Holder#historyBytes}</td></tr>
 * <tr><td>laggards: objects of revisions behind history</td><td>{@link Pins#bytes}</td></tr>
 * <tr><td>past that is being fetched</td><td>{@link #reserve}</td></tr>
 * <tr><td>streams, snapshots under way, answers that are not read</td><td>{@link #count}</td></tr>
 * </table>
 *
 * <p>Responses that wait for slow readers, and requests that are not complete, are in buffers
 * outside the heap. One object that is being read takes at most four times its size, for a moment;
 * frames of live streams a second's worth of changes; what the apiserver sent and is not read yet
 * 64 KiB a type: these are left to the sixth.
 *
 * <p>When the sum is exceeded, what is worth least goes first: history of the types that have most,
 * down to a sixty-fourth of the budget each; then revisions that laggards pin, the largest first
 * (their streams get a new snapshot or end, as their policy says); then the rest of history. What
 * is short after that refuses new streams and snapshots ({@link #isShort}); and a type that grows
 * ends, alone. Each step frees a sixteenth more than it must, so that it is not taken for each
 * change.
 *
 * <p>What is given up is free only once the streams that read it have moved on, which takes a busy
 * machine a second or more. Until then it counts for {@link #mustSettle}: while too much is being
 * given up, reflectors read nothing, else new changes would take the room a second time.
 *
 * <p>These are estimates. {@link #occupied} is told what a collection has left, and what was not
 * accounted for is taken from the budget.
 *
 * <p>Thread-safe. One lock is held while history is trimmed, never while something is sent.
 */
public final class HeapBudget {
  /** A gateway without types and streams has 14 MiB of live objects. */
  public static final long PROGRAM_BYTES = 16L << 20;

  /**
   * What the program has more while types are open and streams begin and end: four to five
   * megabytes were found with one large type. It is left to the collector's sixth.
   */
  private static final long PROGRAM_IN_USE_BYTES = 4L << 20;

  /** With less, there is no room for a type of a few megabytes. */
  public static final long LEAST_HEAP = 40L << 20;

  private static final Logger log = LoggerFactory.getLogger(HeapBudget.class);

  private static final int GARBAGE_PART = 6;

  /** States leave three of these to what has no priority over them. */
  private static final int RESERVE_PART = 32;

  /** So much more is given up than has to be. */
  private static final int SLACK_PART = 16;

  private static final int LEAST_HISTORY_PART = 64;

  /** After so many looks, three seconds, all that was given up has been released. */
  private static final int LOOKS = 30;

  /** Below three quarters of the heap, what is not accounted for may well be garbage. */
  private static final double FULL = 0.75;

  /** Part of what is unaccounted for by which it fades with each look. */
  private static final int FADING = 64;

  /**
   * Part of what was trimmed by which it fades with each look: a tenth is left after 1.7 seconds.
   */
  private static final int SETTLING = 8;

  /** Less than such a part of the heap holds nothing up. */
  private static final int NEGLIGIBLE = 128;

  private final long heap;
  private final long limit;
  private final AtomicLong states = new AtomicLong();
  private final AtomicLong history = new AtomicLong();
  private final AtomicLong reserved = new AtomicLong();
  private final List<Holder> holders = new CopyOnWriteArrayList<>();
  private final List<Counted> counted = new CopyOnWriteArrayList<>();
  private final ReentrantLock reclaiming = new ReentrantLock();
  private volatile long pinned;
  private volatile long others;

  /** History that was trimmed lately, which streams may still read. */
  private final AtomicLong trimmed = new AtomicLong();

  /** Revisions behind history that were given up and that streams still hold. */
  private final AtomicLong leaving = new AtomicLong();

  /** Written under the lock of this. */
  private volatile long unaccounted;

  /**
   * What the parts held, as far as it may not be collected yet: what was given up is for a while.
   */
  private volatile long lately;

  private volatile boolean isShort;

  /**
   * @param heap the most bytes that Java may use
   */
  public HeapBudget(long heap) {
    this.heap = heap;
    this.limit = Math.max(0, heap - heap / GARBAGE_PART - PROGRAM_BYTES);
  }

  /**
   * What is left of a heap beside objects that are bounded elsewhere.
   *
   * @param bytes of the objects
   */
  public static HeapBudget beside(long bytes, long heap) {
    HeapBudget budget = new HeapBudget(heap);
    var _ = budget.reserve(bytes);
    return budget;
  }

  /** A budget that is never used up. */
  static HeapBudget unbounded() {
    return new HeapBudget(Long.MAX_VALUE);
  }

  /** One type, and what can be given up of it. */
  interface Holder {
    long historyBytes();

    /** Lets go of the oldest revisions until history has at most so many bytes. */
    void trimHistory(long bytes);

    long pinnedBytes();

    /** Streams that pin revisions behind history have to release them. */
    void releasePins();

    /** Bytes of such revisions that streams have to release and still hold. */
    long leavingBytes();
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
          public long leavingBytes() {
            return 0;
          }
        };

    /** Bytes that nothing else keeps alive, without those that streams have to release. */
    long bytes();

    /** Bytes that streams have to release and still hold. */
    long leavingBytes();
  }

  /**
   * What a part of the gateway holds.
   *
   * @param used in bytes
   * @param limit the most bytes that it may hold
   */
  public record Part(String name, long used, long limit) {}

  private record Counted(String name, long limit, LongSupplier now) {}

  /** What the parts may hold together, the program not included. */
  public long limit() {
    return limit;
  }

  /** The most bytes that Java may use. */
  public long heap() {
    return heap;
  }

  /** What the parts hold together, and what was found to be none of theirs. */
  public long used() {
    return states.get() + history.get() + reserved.get() + pinned + others + unaccounted;
  }

  /**
   * Whether new streams and snapshots have to be refused: nearly all is in use, and nothing is left
   * that could be given up.
   */
  public boolean isShort() {
    return isShort;
  }

  /**
   * Returns whether so much was given up lately and may not be free yet that new changes have to
   * wait for it: with what is in use, it takes half of what is kept free for the collector.
   */
  public boolean mustSettle() {
    long settling = settling();
    return settling > heap / NEGLIGIBLE && used() + settling > limit + heap / GARBAGE_PART / 2;
  }

  private long settling() {
    return trimmed.get() + leaving.get();
  }

  /**
   * Counts a part that is bounded by itself.
   *
   * @param limitBytes the most that it holds
   * @param now how much it holds; any thread may ask
   */
  public void count(String name, long limitBytes, LongSupplier now) {
    counted.add(new Counted(name, limitBytes, now));
  }

  /** All parts, their sum first. */
  public List<Part> parts() {
    long past = Math.max(0, limit - reserved.get() - others - unaccounted - states.get());
    List<Part> all = new ArrayList<>();
    all.add(new Part("all", used(), limit));
    all.add(new Part("states", states.get(), Math.max(0, roomForStates())));
    all.add(new Part("history", history.get(), past));
    all.add(new Part("laggards", pinned, past));
    all.add(new Part("fetched_past", reserved.get(), past));
    all.add(new Part("unaccounted", unaccounted, limit));
    all.add(new Part("settling", settling(), heap / GARBAGE_PART / 2));
    for (Counted part : counted) {
      all.add(new Part(part.name, part.now.getAsLong(), part.limit));
    }
    return all;
  }

  // ---- what caches report

  void add(Holder holder) {
    holders.add(holder);
  }

  /** The type has ended. */
  void remove(Holder holder) {
    holders.remove(holder);
  }

  void statesGrow(long bytes) {
    states.addAndGet(bytes);
  }

  /** A type's history has become larger, or smaller. */
  void historyGrows(long bytes) {
    history.addAndGet(bytes);
  }

  /** Whether all is within the budget, once history and laggards have given what they can. */
  boolean fits() {
    if (used() > limit) {
      reclaim();
      return used() <= limit;
    }
    return true;
  }

  /**
   * How much states may have, of what other parts leave that cannot be given up. Those parts are
   * refused before: so up to half of what is kept free for the collector, they take nothing from
   * the states.
   */
  long roomForStates() {
    return Math.min(
        limit - 3 * (limit / RESERVE_PART),
        limit + heap / GARBAGE_PART / 2 - reserved.get() - others - unaccounted);
  }

  /** Whether states fit, once history and laggards have given what they can. */
  boolean statesFit() {
    return fits() || states.get() <= roomForStates();
  }

  /** So much that is about to be history, or less where there is no room; to be given back. */
  long reserve(long bytes) {
    long granted = Math.clamp(limit - limit / SLACK_PART - used(), 0, bytes);
    reserved.addAndGet(granted);
    return granted;
  }

  void giveBack(long granted) {
    reserved.addAndGet(-granted);
  }

  // ---- what is looked at now and then

  /**
   * Looks at what the parts hold that do not report by themselves; ten times a second. What a
   * collection found unaccounted for fades meanwhile, to half in about five seconds: it may have
   * been of that moment only, and while everything new is refused there may be no other collection
   * for long. What is still there is found again by the next one.
   */
  public void look() {
    fade();
    trimmed.getAndUpdate(bytes -> bytes - (bytes + SETTLING - 1) / SETTLING);
    update();
  }

  private synchronized void fade() {
    long found = unaccounted;
    unaccounted = found - found / FADING;
  }

  private synchronized void found(long bytes) {
    unaccounted = bytes;
  }

  private void update() {
    long sum = 0;
    for (Counted part : counted) {
      sum += part.now.getAsLong();
    }
    others = sum;
    pinned = holders.stream().mapToLong(Holder::pinnedBytes).sum();
    leaving.set(holders.stream().mapToLong(Holder::leavingBytes).sum());
    lately = Math.max(used() - unaccounted, lately - limit / LOOKS);
    if (used() > limit) {
      reclaim();
    } else {
      notePressure();
    }
  }

  /**
   * The collector has looked at all of the heap, and so much of it is in use. Beyond three quarters
   * of it, what the parts do not account for is taken from the budget.
   */
  public void occupied(long bytes) {
    found(bytes > heap * FULL ? unaccountedOf(bytes) : 0);
    update();
  }

  /**
   * The collector has looked at a part of the heap. At most so much is in use, some of it may be
   * garbage: less may be unaccounted for than was found before, and not more.
   */
  public void occupiedAtMost(long bytes) {
    if (unaccounted > 0) {
      found(bytes > heap * FULL ? Math.min(unaccounted, unaccountedOf(bytes)) : 0);
      update();
    }
  }

  private long unaccountedOf(long bytes) {
    long known = Math.max(lately, used() - unaccounted) + PROGRAM_BYTES + PROGRAM_IN_USE_BYTES;
    return Math.max(0, bytes - known);
  }

  private void reclaim() {
    reclaiming.lock();
    try {
      long excess = used() - (limit - limit / SLACK_PART);
      if (used() > limit) {
        trimHistories(excess, limit / LEAST_HISTORY_PART);
      }
      if (used() > limit) {
        releasePins();
      }
      if (used() > limit) {
        trimHistories(used() - (limit - limit / SLACK_PART), 0);
      }
      notePressure();
    } finally {
      reclaiming.unlock();
    }
  }

  /** The largest first: all that have more are left with the same. */
  private void trimHistories(long excess, long least) {
    List<Size> sizes = largestFirst(Holder::historyBytes);
    long level = least;
    long above = 0;
    for (int i = 0; i < sizes.size(); i++) {
      above += sizes.get(i).bytes;
      long next = i + 1 < sizes.size() ? sizes.get(i + 1).bytes : 0;
      // So low have the first i + 1 to become; where that is above the next, it is enough.
      long needed = (above - excess) / (i + 1);
      if (needed >= next) {
        level = Math.max(least, needed);
        break;
      }
    }
    for (Size size : sizes) {
      if (size.bytes > level) {
        size.of.trimHistory(level);
        trimmed.addAndGet(Math.max(0, size.bytes - size.of.historyBytes()));
      }
    }
  }

  private void releasePins() {
    for (Size size : largestFirst(Holder::pinnedBytes)) {
      if (used() <= limit - limit / SLACK_PART || size.bytes == 0) {
        break;
      }
      size.of.releasePins();
      pinned = Math.max(0, pinned - size.bytes); // none is pinned again
      leaving.addAndGet(size.bytes); // until streams have released them, which the next look sees
    }
  }

  /** What a type had when it was looked at: it changes while others are sorted. */
  private record Size(Holder of, long bytes) {}

  private List<Size> largestFirst(ToLongFunction<Holder> bytes) {
    return holders.stream()
        .map(holder -> new Size(holder, bytes.applyAsLong(holder)))
        .sorted(Comparator.comparingLong(Size::bytes).reversed())
        .toList();
  }

  private void notePressure() {
    long fixed = used() - history.get() - pinned;
    // It ends at less than where it begins, so that it does not change to and fro.
    boolean now = fixed > limit - limit / RESERVE_PART * (isShort ? 2 : 1);
    if (now != isShort) {
      isShort = now;
      if (now) {
        log.warn(
            "the heap is full: {} of {} MiB are in use and nothing is left to be given up; new"
                + " streams and snapshots are refused (MEMORY). Give the gateway a larger heap.",
            used() >> 20,
            limit >> 20);
      } else {
        log.info("the heap has room again; new streams and snapshots are taken");
      }
    }
  }
}
