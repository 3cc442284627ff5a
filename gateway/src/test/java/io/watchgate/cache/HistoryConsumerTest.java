package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that history is kept for the consumer, and that the writer waits for the consumer. */
final class HistoryConsumerTest {
  private final VirtualTime time = new VirtualTime();
  private CacheWriter writer = writer(1 << 20);
  private Revision first;

  private CacheWriter writer(long historyBytes) {
    return new CacheWriter(
        CacheWriter.settings().withHistory(Duration.ofMinutes(1), historyBytes), time.source());
  }

  @BeforeEach
  void list() {
    writer.list(10, SampleObject.of("n", "a", 5));
    first = writer.head();
  }

  private void write(int changes, int bytes) {
    long version = Long.parseLong(writer.head().version().digits());
    for (int i = 1; i <= changes; i++) {
      writer.put(SampleObject.of("n", "a", version + i).padding(bytes));
    }
  }

  @Test
  void historyIsNotTrimmedPastWhereItsFollowerStands() {
    writer.cache().setFollower(() -> first);

    write(10, 500_000);

    assertThat(writer.cache().historyBytes()).isGreaterThan(1 << 20);
    assertThat(first.next()).isNotNull();
    writer.cache().setFollower(writer::head);
    write(1, 1);
    assertThat(first.trimmed()).isTrue();
    assertThat(writer.cache().historyBytes()).isLessThanOrEqualTo(1 << 20);
  }

  @Test
  void historyIsNotTooOldForItsFollower() {
    writer.cache().setFollower(() -> first);

    write(1, 1);
    time.advance(Duration.ofMinutes(5));
    write(1, 1);

    assertThat(first.trimmed()).isFalse();
  }

  @Test
  void ofALittleHistoryOneMebibyteMayWait() {
    writer.cache().setFollower(() -> first);

    write(1, 1 << 19);
    assertThat(writer.cache().isFollowerLate()).isFalse();
    write(2, 1 << 19);
    assertThat(writer.cache().isFollowerLate()).isTrue();
  }

  @Test
  void aFollowerIsLateBySixteenMebibytesOrASecond() {
    writer = writer(64 << 20);
    list();
    writer.cache().setFollower(() -> first);
    assertThat(writer.cache().isFollowerLate()).as("with nothing to do").isFalse();

    write(30, 500_000);
    assertThat(writer.cache().isFollowerLate()).as("by 15 MB").isFalse();
    write(10, 500_000);
    assertThat(writer.cache().isFollowerLate()).as("by 20 MB").isTrue();

    Revision then = writer.head();
    writer.cache().setFollower(() -> then);
    assertThat(writer.cache().isFollowerLate()).as("up to date").isFalse();
    write(1, 1);
    time.advance(Duration.ofMillis(900));
    assertThat(writer.cache().isFollowerLate()).as("by 900 ms").isFalse();
    time.advance(Duration.ofMillis(200));
    assertThat(writer.cache().isFollowerLate()).as("by 1,100 ms").isTrue();
  }

  @Test
  void nobodyWaitsForAFollowerThatHasNobodyToLead() {
    writer.cache().setFollower(() -> null);

    write(40, 500_000);
    time.advance(Duration.ofMinutes(1));

    assertThat(writer.cache().isFollowerLate()).isFalse();
    assertThat(first.trimmed()).isTrue();
  }
}
