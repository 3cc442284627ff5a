package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.Upstream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the pins of revisions that a stream keeps alive. */
final class PinnedRevisionsTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final CacheUnderTest underTest = CacheUnderTest.ofShortHistory();
  private final PinnedRevisions pinnedRevisions = new PinnedRevisions(underTest.writer.cache(), 10);
  private final PinnedRevisions.Pin pin = pinnedRevisions.new Pin();
  private long version = 10;

  /** Returns a revision that was trimmed since. */
  private Revision trimmed() {
    Revision head = underTest.writer.head();
    for (int i = 0; i < 100; i++) {
      underTest.writer.put(OBJECT.at(++version));
    }
    assertThat(head.isTrimmed()).isTrue();
    return head;
  }

  /** Backfilled revisions have negative numbers. */
  @Test
  void backfilledRevision_canBePinned() {
    underTest.writer.list(10, OBJECT);
    assertThat(underTest.writer.backfill(5, List.of(OBJECT), sink -> {})).isTrue();
    Revision backfilled = Objects.requireNonNull(underTest.writer.cache().oldest());
    while (!backfilled.isTrimmed()) {
      underTest.writer.put(OBJECT.at(++version));
    }
    pin.moveTo(backfilled);

    assertThat(pinnedRevisions.canPin(backfilled)).isTrue();
    assertThat(pinnedRevisions.count()).isEqualTo(1);
    assertThat(pinnedRevisions.bytes()).isPositive();
  }

  /** Backfilled history does not lead on from an earlier pin. */
  @Test
  void backfill_changesNoBytesOfPins() {
    CacheUnderTest aging =
        new CacheUnderTest(CacheWriter.settings().withHistory(Duration.ofMinutes(1), 1 << 20));
    PinnedRevisions pins = new PinnedRevisions(aging.writer.cache(), 10);
    List<SampleObject> all =
        new ArrayList<>(); // enough that their states are not the smaller bound
    all.add(OBJECT);
    for (int i = 0; i < 50; i++) {
      all.add(SampleObject.of("n1", "o" + i, 4).padding(1_000));
    }
    aging.writer.list(10, all);
    Revision first = aging.writer.head();
    for (int i = 11; i < 20; i++) {
      aging.writer.put(OBJECT.at(i));
    }
    aging.time.advance(Duration.ofMinutes(2));
    aging.writer.put(OBJECT.at(20));
    aging.time.advance(Duration.ofMinutes(2));
    aging.writer.put(OBJECT.at(21));
    pins.new Pin().moveTo(first);
    long bytes = pins.bytes();
    Revision oldest = Objects.requireNonNull(aging.writer.cache().oldest());
    byte[] change = OBJECT.at(Long.parseLong(oldest.version().digits())).bytes();

    assertThat(first.isTrimmed()).isTrue();
    assertThat(
            aging.writer.backfill(
                5, all, sink -> sink.event(Upstream.EventType.MODIFIED, change, 0, change.length)))
        .isTrue();
    assertThat(bytes).isPositive();
    assertThat(pins.bytes()).isEqualTo(bytes);
  }

  @Test
  void changedPin_replacesTheFormerPin() {
    underTest.writer.list(10, OBJECT);
    Revision first = trimmed();
    pin.moveTo(first);
    long bytes = pinnedRevisions.bytes();
    assertThat(pinnedRevisions.count()).isEqualTo(1);

    pin.moveTo(trimmed());
    assertThat(pinnedRevisions.count()).isEqualTo(1);
    assertThat(pinnedRevisions.bytes()).isLessThan(2 * bytes);

    pin.moveTo(underTest.writer.head());
    assertThat(pinnedRevisions.count()).as("history has that one").isZero();
  }

  @Test
  void stateBeyondTheLimit_isLeavingUntilItsStreamsReleaseIt() {
    underTest.writer.list(10, OBJECT);
    PinnedRevisions one = new PinnedRevisions(underTest.writer.cache(), 1);
    PinnedRevisions.Pin first = one.new Pin();
    PinnedRevisions.Pin second = one.new Pin();
    first.moveTo(trimmed());
    assertThat(one.releasedPinBytes()).isZero();

    second.moveTo(trimmed());

    assertThat(one.count()).isEqualTo(1);
    assertThat(one.releasedPinBytes()).isPositive();
    first.release();
    assertThat(one.count()).isEqualTo(1);
    assertThat(one.releasedPinBytes()).isZero();
    assertThat(one.bytes()).isPositive();
  }
}
