package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse.SignalCase;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of streams while the heap budget is exhausted. */
final class FullHeapTest {
  private static final long MIB = 1 << 20;
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(100_000);

  /** Each part has 10.7 MiB of this budget. */
  private final HeapBudget heap = new HeapBudget(32 * MIB);

  private final CacheUnderTest underTest =
      new CacheUnderTest(
          CacheWriter.settings().withHistory(Duration.ofHours(1), 64 * MIB),
          FanoutSettings.DEFAULTS.limits(),
          heap);
  private long others;
  private long version = 20;

  FullHeapTest() {
    heap.register("others", 64 * MIB, () -> others);
  }

  private void changes(int count) {
    for (int i = 0; i < count; i++) {
      underTest.writer.put(OBJECT.at(++version));
    }
    underTest.run();
  }

  private void full() {
    others = 12 * MIB;
    heap.updateUsage();
    assertThat(heap.isShort()).isTrue();
  }

  private static ErrorReason reason(ControlledResponseSink ended) {
    return Objects.requireNonNull(ended.refusal()).reason();
  }

  /** Returns a caught-up stream that stopped reading, of whose revision history was trimmed. */
  private ControlledResponseSink laggard(LagPolicy policy) {
    ControlledResponseSink laggard =
        underTest.subscribe(StreamRequest.EVERYTHING.lagging(policy)).stalled();
    underTest.pass(Duration.ofSeconds(3));
    changes(40);
    underTest.pass(Duration.ofSeconds(3));
    changes(80);
    underTest.pass(Duration.ofSeconds(2));
    return laggard;
  }

  @Test
  void snapshot_isRefusedUntilTheHeapHasRoom() {
    underTest.writer.list(10, OBJECT);
    full();

    ControlledResponseSink refused = underTest.subscribe(StreamRequest.EVERYTHING);
    assertThat(reason(refused)).isEqualTo(ErrorReason.ERROR_REASON_MEMORY);
    assertThat(Objects.requireNonNull(refused.refusal()).retryAfter()).isPositive();

    others = 0;
    heap.updateUsage();
    assertThat(underTest.subscribe(StreamRequest.EVERYTHING).lastResponse().getSignalCase())
        .isEqualTo(SignalCase.SYNCED);
  }

  @Test
  void caughtUpStream_staysOpen() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink follower = underTest.subscribe(StreamRequest.EVERYTHING);
    full();

    changes(3);

    assertThat(follower.refusal()).isNull();
    assertThat(follower.changes()).containsExactly("21", "22", "23");
  }

  @Test
  void laggingStreamWithDisconnect_endsWhenItsRevisionIsReleased() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink laggard = laggard(LagPolicy.LAG_POLICY_DISCONNECT);

    others = heap.limit();
    heap.updateUsage();
    underTest.pass(Duration.ofSeconds(2));

    assertThat(reason(laggard)).isEqualTo(ErrorReason.ERROR_REASON_LAGGED);
  }

  @Test
  void laggingStream_getsASnapshotOnceTheHeapHasRoom() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink laggard = laggard(LagPolicy.LAG_POLICY_RESYNC);
    others = heap.limit();
    heap.updateUsage();
    underTest.pass(Duration.ofSeconds(2));
    assertThat(laggard.refusal()).isNull();

    others = 0;
    heap.updateUsage();
    laggard.read();
    underTest.run();

    assertThat(laggard.refusal()).isNull();
    assertThat(laggard.responses())
        .extracting(response -> response.getSignalCase())
        .endsWith(SignalCase.SNAPSHOT_STARTED, SignalCase.SYNCED);
    assertThat(laggard.lastResponse().getResourceVersion()).isEqualTo(Long.toString(version));
  }
}
