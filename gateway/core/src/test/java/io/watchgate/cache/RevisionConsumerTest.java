package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that history is kept for the consumer, and that the writer waits for the consumer. */
final class RevisionConsumerTest {
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

  private boolean isLagging() {
    return writer.cache().backpressure().isExceeded(writer.head());
  }

  @Test
  void history_isNotTrimmedPastItsConsumer() {
    writer.cache().setConsumer(() -> first);

    write(10, 500_000);

    assertThat(writer.cache().historyBytes()).isGreaterThan(1 << 20);
    assertThat(first.next()).isNotNull();
    writer.cache().setConsumer(writer::head);
    write(1, 1);
    assertThat(first.isTrimmed()).isTrue();
    assertThat(writer.cache().historyBytes()).isLessThanOrEqualTo(1 << 20);
  }

  @Test
  void oldHistory_isKeptForItsConsumer() {
    writer.cache().setConsumer(() -> first);

    write(1, 1);
    time.advance(Duration.ofMinutes(5));
    write(1, 1);

    assertThat(first.isTrimmed()).isFalse();
  }

  @Test
  void smallHistory_allowsLagOfOneMebibyte() {
    writer.cache().setConsumer(() -> first);

    write(1, 1 << 19);
    assertThat(isLagging()).isFalse();
    write(2, 1 << 19);
    assertThat(isLagging()).isTrue();
  }

  @Test
  void consumer_lagsAtSixteenMebibytesOrOneSecond() {
    writer = writer(64 << 20);
    list();
    writer.cache().setConsumer(() -> first);
    assertThat(isLagging()).as("with nothing to do").isFalse();

    write(30, 500_000);
    assertThat(isLagging()).as("by 15 MB").isFalse();
    write(10, 500_000);
    assertThat(isLagging()).as("by 20 MB").isTrue();

    Revision then = writer.head();
    writer.cache().setConsumer(() -> then);
    assertThat(isLagging()).as("up to date").isFalse();
    write(1, 1);
    time.advance(Duration.ofMillis(900));
    assertThat(isLagging()).as("by 900 ms").isFalse();
    time.advance(Duration.ofMillis(200));
    assertThat(isLagging()).as("by 1,100 ms").isTrue();
  }

  /** Returns the backpressure of a cache whose consumer has reached that revision. */
  private WriterBackpressure backpressure(RevisionConsumer consumer) {
    WriterBackpressure backpressure =
        new WriterBackpressure(time.source(), 1 << 20, HeapBudget.unbounded(), CacheMetrics.NONE);
    backpressure.setConsumer(consumer);
    writer.cache().setConsumer(consumer); // for which history is kept
    return backpressure;
  }

  private CompletableFuture<Void> awaitRoom(WriterBackpressure backpressure) {
    return CompletableFuture.runAsync(() -> backpressure.awaitRoom(writer.head()));
  }

  @Test
  void writer_waitsUntilTheConsumerMoves() {
    AtomicReference<Revision> reached = new AtomicReference<>(first);
    WriterBackpressure backpressure = backpressure(reached::get);
    for (int i = 0; i < 500; i++) {
      write(3, 1 << 19);
      CompletableFuture<Void> wait = awaitRoom(backpressure);
      if (i == 0) {
        assertThat(wait).failsWithin(Duration.ofMillis(100));
      }
      reached.set(writer.head());
      backpressure.wakeWriter();
      assertThat(wait).as("wait %d", i).succeedsWithin(Duration.ofMinutes(3));
    }
  }

  @Test
  void writer_waitsUntilTheConsumerLeavesOrTheReflectorStops() {
    WriterBackpressure backpressure = backpressure(() -> first);
    write(3, 1 << 19);
    CompletableFuture<Void> wait = awaitRoom(backpressure);
    assertThat(wait).failsWithin(Duration.ofMillis(100));
    backpressure.setConsumer(null);
    assertThat(wait).succeedsWithin(Duration.ofMinutes(3));

    backpressure.setConsumer(() -> first);
    CompletableFuture<Void> next = awaitRoom(backpressure);
    assertThat(next).failsWithin(Duration.ofMillis(100));
    backpressure.stop();
    assertThat(next).succeedsWithin(Duration.ofMinutes(3));
  }

  @Test
  void idleConsumer_isNeverLagging() {
    writer.cache().setConsumer(() -> null);

    write(40, 500_000);
    time.advance(Duration.ofMinutes(1));

    assertThat(isLagging()).isFalse();
    assertThat(first.isTrimmed()).isTrue();
  }
}
