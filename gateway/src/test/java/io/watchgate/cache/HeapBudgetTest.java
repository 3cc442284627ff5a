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

  private final class Held implements HeapBudget.Holder {
    final String name;
    long history;
    long pinned;
    long leaving;

    Held(String name, long history, long pinned) {
      this.name = name;
      this.history = history * MIB;
      this.pinned = pinned * MIB;
      budget.historyGrows(this.history);
      budget.add(this);
    }

    @Override
    public long historyBytes() {
      return history;
    }

    @Override
    public void trimHistory(long bytes) {
      done.add(name + " trims");
      budget.historyGrows(bytes - history);
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
    public long leavingBytes() {
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
  void theProgramAndTheCollectorHaveTheirShares() {
    assertThat(budget.limit()).isEqualTo(84 * MIB);
    assertThat(new HeapBudget(MIB).limit()).isZero();
  }

  @Test
  void withinTheBudgetNothingGivesWay() {
    new Held("a", 40, 40);
    budget.look();

    assertThat(budget.fits()).isTrue();
    assertThat(done).isEmpty();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void theLargestHistoriesGiveWayFirst() {
    Held large = new Held("large", 50, 0);
    Held second = new Held("second", 30, 0);
    Held small = new Held("small", 10, 0);

    assertThat(budget.fits()).isTrue();

    assertThat(done).containsExactly("large trims");
    assertThat(second.history).isEqualTo(30 * MIB);
    assertThat(small.history).isEqualTo(10 * MIB);
    assertThat(budget.used()).isEqualTo(large.history + 40 * MIB).isLessThan(80 * MIB);
  }

  @Test
  void historiesThatAreTooLargeTogetherAreLeftWithTheSame() {
    Held first = new Held("first", 40, 0);
    Held second = new Held("second", 50, 0);
    budget.statesGrow(60 * MIB);

    assertThat(budget.fits()).isTrue();

    assertThat(first.history).isEqualTo(second.history).isLessThan(12 * MIB);
  }

  /** Streams may still read what was trimmed: it is not given out a second time at once. */
  @Test
  void trimmedHistory_holdsUpNewChangesForAWhile() {
    new Held("a", 100, 0);
    assertThat(budget.mustSettle()).isFalse();

    assertThat(budget.fits()).isTrue();

    assertThat(budget.mustSettle()).isTrue();
    assertThat(part("settling")).isGreaterThan(20 * MIB);
    int looks = 0;
    for (; budget.mustSettle(); looks++) {
      budget.look();
    }
    assertThat(looks).isBetween(2, 20);
  }

  @Test
  void releasedPins_holdUpNewChangesUntilStreamsHaveReleasedThem() {
    Held type = new Held("type", 20, 40);
    budget.look();
    budget.statesGrow(70 * MIB);
    assertThat(budget.fits()).isTrue();
    for (int i = 0; i < 300; i++) { // what was trimmed is free
      budget.look();
    }
    assertThat(part("settling")).isEqualTo(40 * MIB);
    assertThat(budget.mustSettle()).isTrue();

    type.leaving = 0;
    budget.look();

    assertThat(budget.mustSettle()).isFalse();
    assertThat(part("settling")).isZero();
  }

  /** An ordinary trim takes little, and nothing waits for it. */
  @Test
  void littleThatIsGivenUp_holdsNothingUp() {
    new Held("a", 85, 0);

    assertThat(budget.fits()).isTrue();

    assertThat(part("settling")).isPositive();
    assertThat(budget.mustSettle()).isFalse();
  }

  @Test
  void pinsGiveWayAfterHistoryAndBeforeStates() {
    Held type = new Held("type", 20, 30);
    budget.look();
    budget.statesGrow(70 * MIB);

    assertThat(budget.fits()).isTrue();

    assertThat(done).containsExactly("type trims", "type releases");
    assertThat(type.history).as("what is left").isPositive();
    budget.look();
    assertThat(part("laggards")).isZero();
  }

  @Test
  void onceNothingIsLeftToGiveNewStreamsAreRefused() {
    budget.count("streams", 10 * MIB, () -> streams);
    budget.statesGrow(76 * MIB);
    budget.look();
    assertThat(budget.isShort()).isFalse();

    streams = 6 * MIB;
    budget.look();
    assertThat(budget.isShort()).isTrue();

    streams = 0;
    budget.look();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void historyIsNoReasonToRefuseStreams() {
    new Held("a", 83, 0);
    budget.look();

    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void streamsTakeNothingFromStatesBeforeTheyAreRefused() {
    budget.count("streams", 10 * MIB, () -> streams);
    long room = budget.roomForStates();
    streams = 8 * MIB;
    budget.look();

    assertThat(budget.roomForStates()).isEqualTo(room);
  }

  /** Else a heap that is meant to be nearly full of states would be refused what fits. */
  @Test
  void programInUse_isNotUnaccounted() {
    budget.statesGrow(78 * MIB);
    budget.look();

    budget.occupied(98 * MIB);

    assertThat(part("unaccounted")).isZero();
    assertThat(budget.isShort()).isFalse();
  }

  @Test
  void whatACollectionFindsInAFullHeapIsCharged() {
    budget.statesGrow(60 * MIB);
    budget.look();

    budget.occupied(80 * MIB);
    assertThat(part("unaccounted")).as("that much may be garbage").isZero();

    budget.occupied(104 * MIB);
    assertThat(part("unaccounted")).isEqualTo(24 * MIB);
    assertThat(budget.isShort()).isTrue();

    budget.occupiedAtMost(114 * MIB);
    assertThat(part("unaccounted")).as("garbage is no news").isEqualTo(24 * MIB);
    budget.occupiedAtMost(99 * MIB);
    assertThat(part("unaccounted")).isEqualTo(19 * MIB);
    budget.occupiedAtMost(70 * MIB);
    assertThat(part("unaccounted")).isZero();
    assertThat(budget.isShort()).isFalse();
  }

  /**
   * Otherwise a gateway that refuses everything would continue to do so, because nothing causes a
   * collection.
   */
  @Test
  void aPeakThatOneCollectionFound_doesNotKeepNewStreamsOut() {
    budget.statesGrow(60 * MIB);
    budget.occupied(104 * MIB);
    assertThat(budget.isShort()).isTrue();

    for (int i = 0; i < 100; i++) { // ten seconds
      budget.look();
    }
    assertThat(part("unaccounted")).isLessThan(6 * MIB);
    assertThat(budget.isShort()).isFalse();

    budget.occupied(104 * MIB);
    assertThat(budget.isShort()).as("it was no peak").isTrue();
  }

  @Test
  void whatWasJustGivenUpIsNotTakenForUnaccounted() {
    Held type = new Held("type", 40, 0);
    budget.statesGrow(30 * MIB);
    budget.look();
    type.trimHistory(0);

    budget.occupied(95 * MIB); // the collection began before
    assertThat(part("unaccounted")).isEqualTo(5 * MIB);

    for (int i = 0; i < 30; i++) {
      budget.look();
    }
    budget.occupied(95 * MIB);
    assertThat(part("unaccounted")).isEqualTo(45 * MIB);
  }

  @Test
  void aPastIsFetchedOnlyIntoRoomThatThereIs() {
    budget.statesGrow(70 * MIB);

    long granted = budget.reserve(20 * MIB);
    assertThat(granted).isBetween(8 * MIB, 9 * MIB);
    assertThat(budget.reserve(20 * MIB)).isZero();
    budget.giveBack(granted);
    assertThat(part("fetched_past")).isZero();
  }

  // ---- with caches

  private final VirtualTime time = new VirtualTime();

  private WatchCache cache(HeapBudget heap) {
    return new WatchCache(
        CacheWriter.DEFINITION,
        CacheWriter.settings(),
        new StateBudget(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2, heap).open(),
        heap,
        time.source(),
        CacheMetrics.NONE);
  }

  /** Writes changes of an object of 100 KB, at versions 10, 11 and so on. */
  private static void write(WatchCache cache, int changes) {
    WatchApplier applier =
        new WatchApplier(cache.chain(), FieldPaths.NONE, cache.skipped(), CacheMetrics.NONE);
    Revision head = cache.head();
    long version = head == null ? 10 : Long.parseLong(head.version().digits());
    SampleObject object = SampleObject.of("n", "a", version).padding(100_000);
    if (head == null) {
      cache.list(new ResourceVersion("10"), StateMap.ofSorted(List.of(object.view())), cache.now());
    }
    for (int i = 1; i <= changes; i++) {
      ScriptedUpstream.send(applier, Upstream.EventType.MODIFIED, object.at(version + i));
    }
  }

  @Test
  void theHistoryOfAQuietTypeGivesWayToBusyOnes() {
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
  void anEndedTypeCountsNoMore() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    WatchCache cache = cache(heap);
    write(cache, 40);
    assertThat(heap.used()).isGreaterThan(3 * MIB);

    cache.upstream(UpstreamState.of(UpstreamState.Phase.CLOSED));

    assertThat(heap.used()).isZero();
  }

  private static HeapBudget.Pins pinsOf(WatchCache cache, Revision laggard, long bytes) {
    return new HeapBudget.Pins() {
      @Override
      public long bytes() {
        return cache.isReleased(laggard) ? 0 : bytes;
      }

      @Override
      public long leavingBytes() {
        return cache.isReleased(laggard) ? bytes : 0;
      }
    };
  }

  @Test
  void releasedRevisionsMayNotBePinned() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    WatchCache cache = cache(heap);
    write(cache, 1);
    Revision laggard = Objects.requireNonNull(cache.head());
    cache.setPins(pinsOf(cache, laggard, 12 * MIB));
    write(cache, 80);
    assertThat(cache.mayStandOn(laggard)).isTrue();

    heap.look();

    assertThat(laggard.trimmed()).isTrue();
    assertThat(cache.mayStandOn(laggard)).isFalse();
    assertThat(cache.mayStandOn(Objects.requireNonNull(cache.oldest()))).isTrue();
  }

  @Test
  void aListAnewThatDoesNotFitBesideTheStateIsNoReasonToRefuseTheType() {
    HeapBudget heap = new HeapBudget(32 * MIB);
    StateBudget.Share share = new StateBudget(8 * MIB, 9 * MIB, heap).open();
    share.keep(7 * MIB);

    share.relist(10 * MIB, 3 * MIB);

    assertThat(
            catchThrowableOfType(StateBudget.TooLarge.class, () -> share.relist(14 * MIB, 7 * MIB)))
        .returns(true, e -> e.besideHeld);
    assertThat(
            catchThrowableOfType(StateBudget.TooLarge.class, () -> share.relist(16 * MIB, 9 * MIB)))
        .returns(false, e -> e.besideHeld);
  }

  @Test
  void ofASmallHeapTheDefaultsAreAnEighth() {
    CacheSettings small = CacheSettings.forHeap(128 * MIB);
    assertThat(small.history().bytes()).isEqualTo(16 * MIB);
    assertThat(small.history().laggardBytes()).isEqualTo(16 * MIB);
    CacheSettings large = CacheSettings.forHeap(1024 * MIB);
    assertThat(large.history().bytes()).isEqualTo(64 * MIB);
    assertThat(large.history().laggardBytes()).isEqualTo(128 * MIB);
    assertThat(large.history().age()).isEqualTo(Duration.ofMinutes(10));
  }
}
