package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import org.junit.jupiter.api.Test;

/** Tests of the pins of revisions that a stream keeps alive. */
final class PinnedRevisionsTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final Stage stage = Stage.ofShortHistory();
  private final PinnedRevisions pinnedRevisions = new PinnedRevisions(stage.writer.cache(), 10);
  private final PinnedRevisions.Pin pin = pinnedRevisions.new Pin();
  private long version = 10;

  /** Returns a revision that was trimmed since. */
  private Revision trimmed() {
    Revision head = stage.writer.head();
    for (int i = 0; i < 100; i++) {
      stage.writer.put(OBJECT.at(++version));
    }
    assertThat(head.isTrimmed()).isTrue();
    return head;
  }

  @Test
  void changedPin_replacesTheFormerPin() {
    stage.writer.list(10, OBJECT);
    Revision first = trimmed();
    pin.moveTo(first);
    long bytes = pinnedRevisions.bytes();
    assertThat(pinnedRevisions.count()).isEqualTo(1);

    pin.moveTo(trimmed());
    assertThat(pinnedRevisions.count()).isEqualTo(1);
    assertThat(pinnedRevisions.bytes()).isLessThan(2 * bytes);

    pin.moveTo(stage.writer.head());
    assertThat(pinnedRevisions.count()).as("history has that one").isZero();
  }

  @Test
  void stateBeyondTheLimit_isLeavingUntilItsStreamsReleaseIt() {
    stage.writer.list(10, OBJECT);
    PinnedRevisions one = new PinnedRevisions(stage.writer.cache(), 1);
    PinnedRevisions.Pin first = one.new Pin();
    PinnedRevisions.Pin second = one.new Pin();
    first.moveTo(trimmed());
    assertThat(one.leavingBytes()).isZero();

    second.moveTo(trimmed());

    assertThat(one.count()).isEqualTo(1);
    assertThat(one.leavingBytes()).isPositive();
    first.release();
    assertThat(one.count()).isEqualTo(1);
    assertThat(one.leavingBytes()).isZero();
    assertThat(one.bytes()).isPositive();
  }
}
