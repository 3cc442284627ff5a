package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import org.junit.jupiter.api.Test;

/** Tests of the accounting of revisions that a stream keeps alive. */
final class StreamAccountingTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final Stage stage = Stage.ofShortHistory();
  private final PinnedRevisions roots = new PinnedRevisions(stage.writer.cache(), 10);
  private final StreamAccounting charges =
      new StreamAccounting(stage.routers.shared().outbound(), roots);
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
    charges.pin(first);
    long bytes = roots.bytes();
    assertThat(roots.count()).isEqualTo(1);

    charges.pin(trimmed());
    assertThat(roots.count()).isEqualTo(1);
    assertThat(roots.bytes()).isLessThan(2 * bytes);

    charges.pin(stage.writer.head());
    assertThat(roots.count()).as("history has that one").isZero();
  }

  @Test
  void stateBeyondTheLimit_isLeavingUntilItsStreamsReleaseIt() {
    stage.writer.list(10, OBJECT);
    PinnedRevisions one = new PinnedRevisions(stage.writer.cache(), 1);
    StreamAccounting first = new StreamAccounting(new OutboundBytes(1), one);
    StreamAccounting second = new StreamAccounting(new OutboundBytes(1), one);
    first.pin(trimmed());
    assertThat(one.leavingBytes()).isZero();

    second.pin(trimmed());

    assertThat(one.count()).isEqualTo(1);
    assertThat(one.leavingBytes()).isPositive();
    first.unpin();
    assertThat(one.count()).isEqualTo(1);
    assertThat(one.leavingBytes()).isZero();
    assertThat(one.bytes()).isPositive();
  }
}
