package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the memory that is released when the heap is full, and of the order. */
final class HeapBudgetTest {
  private static final long MIB = 1 << 20;

  /** 120 MiB, of which the program has 16 and the collector a sixth. */
  private final HeapBudget budget = new HeapBudget(120 * MIB);

  private final List<String> done = new ArrayList<>();
  private long streams;

  private final class Held implements HeapBudget.ReclaimableType {
    final String name;
    long history;
    long pinned;
    long leaving;

    Held(String name, long history, long pinned) {
      this.name = name;
      this.history = history * MIB;
      this.pinned = pinned * MIB;
      budget.addHistoryBytes(this.history);
      budget.add(this);
    }

    @Override
    public long historyBytes() {
      return history;
    }

    @Override
    public void trimHistory(long bytes) {
      done.add(name + " trims");
      budget.addHistoryBytes(bytes - history);
      history = bytes;
    }

    @Override
    public long pinnedBytes() {
      return pinned;
    }

    @Override
    public void releasePins() {
      done.add(name + " releases");
      leaving += pinned;
      pinned = 0;
    }

    @Override
    public long releasedPinBytes() {
      return leaving;
    }
  }

  private long part(String name) {
    return budget.parts().stream()
        .filter(part -> part.name().equals(name))
        .mapToLong(HeapBudget.Part::used)
        .sum();
  }

  @Test
  void programAndCollector_haveTheirShares() {
    assertThat(budget.limit()).isEqualTo(84 * MIB);
    assertThat(new HeapBudget(MIB).limit()).isZero();
  }

  @Test
  void withinBudget_nothingIsReleased() {
    new Held("a", 40, 40);
    budget.updateUsage();

    assertThat(budget.reclaimToFit()).isTrue();
    assertThat(done).isEmpty();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void largestHistories_areTrimmedFirst() {
    Held large = new Held("large", 50, 0);
    Held second = new Held("second", 30, 0);
    Held small = new Held("small", 10, 0);

    assertThat(budget.reclaimToFit()).isTrue();

    assertThat(done).containsExactly("large trims");
    assertThat(second.history).isEqualTo(30 * MIB);
    assertThat(small.history).isEqualTo(10 * MIB);
    assertThat(budget.used()).isEqualTo(large.history + 40 * MIB).isLessThan(80 * MIB);
  }

  @Test
  void trimmedHistories_getEqualSize() {
    Held first = new Held("first", 40, 0);
    Held second = new Held("second", 50, 0);
    budget.addStateBytes(60 * MIB);

    assertThat(budget.reclaimToFit()).isTrue();

    assertThat(first.history).isEqualTo(second.history).isLessThan(12 * MIB);
  }

  /** Streams may still read what was trimmed: it is not given out a second time at once. */
  @Test
  void trimmedHistory_holdsUpNewChangesForAWhile() {
    new Held("a", 100, 0);
    assertThat(budget.mustWaitForCollection()).isFalse();

    assertThat(budget.reclaimToFit()).isTrue();

    assertThat(budget.mustWaitForCollection()).isTrue();
    assertThat(part("settling")).isGreaterThan(20 * MIB);
    int looks = 0;
    for (; budget.mustWaitForCollection(); looks++) {
      budget.updateUsage();
    }
    assertThat(looks).isBetween(2, 20);
  }

  @Test
  void releasedPins_holdUpNewChangesUntilStreamsHaveReleasedThem() {
    Held type = new Held("type", 20, 40);
    budget.updateUsage();
    budget.addStateBytes(70 * MIB);
    assertThat(budget.reclaimToFit()).isTrue();
    for (int i = 0; i < 300; i++) { // what was trimmed is free
      budget.updateUsage();
    }
    assertThat(part("settling")).isEqualTo(40 * MIB);
    assertThat(budget.mustWaitForCollection()).isTrue();

    type.leaving = 0;
    budget.updateUsage();

    assertThat(budget.mustWaitForCollection()).isFalse();
    assertThat(part("settling")).isZero();
  }

  /** An ordinary trim takes little, and nothing waits for it. */
  @Test
  void littleThatIsGivenUp_holdsNothingUp() {
    new Held("a", 85, 0);

    assertThat(budget.reclaimToFit()).isTrue();

    assertThat(part("settling")).isPositive();
    assertThat(budget.mustWaitForCollection()).isFalse();
  }

  @Test
  void pins_areReleasedAfterHistoryBeforeStates() {
    Held type = new Held("type", 20, 30);
    budget.updateUsage();
    budget.addStateBytes(70 * MIB);

    assertThat(budget.reclaimToFit()).isTrue();

    assertThat(done).containsExactly("type trims", "type releases");
    assertThat(type.history).as("what is left").isPositive();
    budget.updateUsage();
    assertThat(part("laggards")).isZero();
  }

  @Test
  void nothingLeftToRelease_refusesNewStreams() {
    budget.register("streams", 10 * MIB, () -> streams);
    budget.addStateBytes(76 * MIB);
    budget.updateUsage();
    assertThat(budget.isShort()).isFalse();

    streams = 6 * MIB;
    budget.updateUsage();
    assertThat(budget.isShort()).isTrue();

    streams = 0;
    budget.updateUsage();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void largeHistory_doesNotRefuseStreams() {
    new Held("a", 83, 0);
    budget.updateUsage();

    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void streams_areRefusedBeforeStatesShrink() {
    budget.register("streams", 10 * MIB, () -> streams);
    long room = budget.roomForStates();
    streams = 8 * MIB;
    budget.updateUsage();

    assertThat(budget.roomForStates()).isEqualTo(room);
  }

  /** Else a heap that is meant to be nearly full of states would be refused what fits. */
  @Test
  void programInUse_isNotUnaccounted() {
    budget.addStateBytes(78 * MIB);
    budget.updateUsage();

    budget.recordFullCollection(98 * MIB);

    assertThat(part("unaccounted")).isZero();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void fullHeap_chargesUnaccountedBytes() {
    budget.addStateBytes(60 * MIB);
    budget.updateUsage();

    budget.recordFullCollection(80 * MIB);
    assertThat(part("unaccounted")).as("that much may be garbage").isZero();

    budget.recordFullCollection(104 * MIB);
    assertThat(part("unaccounted")).isEqualTo(24 * MIB);
    assertThat(budget.isShort()).isTrue();

    budget.recordPartialCollection(114 * MIB);
    assertThat(part("unaccounted")).as("garbage is no news").isEqualTo(24 * MIB);
    budget.recordPartialCollection(99 * MIB);
    assertThat(part("unaccounted")).isEqualTo(19 * MIB);
    budget.recordPartialCollection(70 * MIB);
    assertThat(part("unaccounted")).isZero();
    assertThat(budget.isShort()).isFalse();
  }

  /**
   * Otherwise a gateway that refuses everything would continue to do so, because nothing causes a
   * collection.
   */
  @Test
  void unaccountedPeak_decays() {
    budget.addStateBytes(60 * MIB);
    budget.recordFullCollection(104 * MIB);
    assertThat(budget.isShort()).isTrue();

    for (int i = 0; i < 100; i++) { // ten seconds
      budget.updateUsage();
    }
    assertThat(part("unaccounted")).isLessThan(6 * MIB);
    assertThat(budget.isShort()).isFalse();

    budget.recordFullCollection(104 * MIB);
    assertThat(budget.isShort()).as("it was no peak").isTrue();
  }

  @Test
  void recentlyReleasedMemory_isNotUnaccounted() {
    Held type = new Held("type", 40, 0);
    budget.addStateBytes(30 * MIB);
    budget.updateUsage();
    type.trimHistory(0);

    budget.recordFullCollection(95 * MIB); // the collection began before
    assertThat(part("unaccounted")).isEqualTo(5 * MIB);

    for (int i = 0; i < 30; i++) {
      budget.updateUsage();
    }
    budget.recordFullCollection(95 * MIB);
    assertThat(part("unaccounted")).isEqualTo(45 * MIB);
  }

  @Test
  void backfill_reservesOnlyFreeRoom() {
    budget.addStateBytes(70 * MIB);

    long granted = budget.reserve(20 * MIB);
    assertThat(granted).isBetween(8 * MIB, 9 * MIB);
    assertThat(budget.reserve(20 * MIB)).isZero();
    budget.releaseReserved(granted);
    assertThat(part("backfill")).isZero();
  }

  // ---- with caches

  private final VirtualTime time = new VirtualTime();

  private WatchCache cache(HeapBudget heap) {
    WatchCache cache =
        new WatchCache(
            CacheWriter.DEFINITION,
            CacheWriter.settings(),
            new StateBudget(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2, heap).open(),
            heap,
            time.source(),
            CacheMetrics.NONE);
    cache.backpressure().stop(); // virtual time does not pass while a writer waits
    return cache;
  }

  /** Writes changes of an object of 100 KB, at versions 10, 11 and so on. */
  private static void write(WatchCache cache, int changes) {
    WatchApplier applier =
        new WatchApplier(cache, FieldPaths.NONE, cache.skipped(), CacheMetrics.NONE);
    Revision head = cache.head();
    long version = head == null ? 10 : Long.parseLong(head.version().digits());
    SampleObject object = SampleObject.of("n", "a", version).padding(100_000);
    if (head == null) {
      cache.publishList(
          new ResourceVersion("10"), StateMap.ofSorted(List.of(object.view())), cache.now());
    }
    for (int i = 1; i <= changes; i++) {
      ScriptedUpstream.send(applier, Upstream.EventType.MODIFIED, object.at(version + i));
    }
  }

  @Test
  void quietHistory_yieldsToBusyTypes() {
    HeapBudget heap = new HeapBudget(32 * MIB); // 10.7 MiB for all
    WatchCache quiet = cache(heap);
    WatchCache busy = cache(heap);
    write(quiet, 80);
    assertThat(quiet.historyBytes()).isGreaterThan(7 * MIB);

    write(busy, 80);

    assertThat(heap.used()).isLessThanOrEqualTo(heap.limit());
    assertThat(quiet.historyBytes()).isBetween(2 * MIB, 6 * MIB);
    assertThat(busy.historyBytes()).isBetween(2 * MIB, 6 * MIB);
  }

  @Test
  void endedType_isNotCounted() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    WatchCache cache = cache(heap);
    write(cache, 40);
    assertThat(heap.used()).isGreaterThan(3 * MIB);

    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.CLOSED));

    assertThat(heap.used()).isZero();
  }

  private static HeapBudget.Pins pinsOf(WatchCache cache, Revision laggard, long bytes) {
    return new HeapBudget.Pins() {
      @Override
      public long bytes() {
        return cache.isReleaseRequired(laggard) ? 0 : bytes;
      }

      @Override
      public long releasedPinBytes() {
        return cache.isReleaseRequired(laggard) ? bytes : 0;
      }
    };
  }

  @Test
  void releasedRevisions_cannotBePinned() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    WatchCache cache = cache(heap);
    write(cache, 1);
    Revision laggard = Objects.requireNonNull(cache.head());
    cache.setPins(pinsOf(cache, laggard, 12 * MIB));
    write(cache, 80);
    assertThat(cache.canPin(laggard)).isTrue();

    heap.updateUsage();

    assertThat(laggard.isTrimmed()).isTrue();
    assertThat(cache.canPin(laggard)).isFalse();
    assertThat(cache.canPin(Objects.requireNonNull(cache.oldest()))).isTrue();
  }

  @Test
  void relistBesideState_tooLarge_doesNotRefuseType() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    StateBudget.Share share = new StateBudget(8 * MIB, 9 * MIB, heap).open();
    share.keep(7 * MIB);

    share.relist(10 * MIB, 3 * MIB);

    assertThat(
            catchThrowableOfType(
                StateTooLargeException.class, () -> share.relist(14 * MIB, 7 * MIB)))
        .returns(true, e -> e.besideCached);
    assertThat(
            catchThrowableOfType(
                StateTooLargeException.class, () -> share.relist(16 * MIB, 9 * MIB)))
        .returns(false, e -> e.besideCached);
  }

  @Test
  void smallHeap_defaultsAreAnEighth() {
    CacheSettings small = CacheSettings.forHeap(128 * MIB);
    assertThat(small.history().bytes()).isEqualTo(16 * MIB);
    assertThat(small.history().laggardBytes()).isEqualTo(16 * MIB);
    CacheSettings large = CacheSettings.forHeap(1024 * MIB);
    assertThat(large.history().bytes()).isEqualTo(64 * MIB);
    assertThat(large.history().laggardBytes()).isEqualTo(128 * MIB);
    assertThat(large.history().age()).isEqualTo(Duration.ofMinutes(10));
  }
}
