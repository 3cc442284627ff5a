package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a state that differs from the apiserver's is listed again. */
final class SelfCheckTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);
  private static final SampleObject B = SampleObject.of("n", "b", 6);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final ReflectorCommands demands = new ReflectorCommands(upstream);
  private final List<String> outcomes = new ArrayList<>();

  /**
   * Runs checks with the shortest period around {@code every}, because the random source returns
   * zero.
   */
  private void run(Duration every, int times) {
    CountDownLatch stopped = new CountDownLatch(1);
    int[] waits = {0};
    new SelfCheck(
            upstream,
            writer.cache(),
            demands,
            CacheMetricsRecorder.of(outcomes),
            every,
            new ReflectorClock(
                time.source(),
                () -> 0,
                (latch, wait) -> {
                  if (wait.equals(HistoryProofSettings.CONFIRMATION_DELAY)) {
                    return;
                  }
                  assertThat(wait).isEqualTo(every.multipliedBy(3).dividedBy(4));
                  if (waits[0]++ == times) {
                    stopped.countDown();
                  }
                }),
            stopped)
        .run();
  }

  private ReflectorCommands.@Nullable Command demand() {
    return demands.take();
  }

  @Test
  void equalState_isNotRelisted() {
    writer.list(10, A, B);
    writer.put(A.at(12));
    upstream.listAt(12, B, A.at(12));

    run(Duration.ofMinutes(10), 1);

    assertThat(upstream.asked).containsExactly("list metadata at 12");
    assertThat(outcomes).containsExactly("self-check equal");
    assertThat(demand()).isNull();
  }

  @Test
  void lostEvent_causesRelist() {
    writer.list(10, A, B);
    upstream.listAt(10, A.at(9), B).listAt(10, A.at(9), B);

    run(Duration.ofMinutes(10), 1);

    assertThat(outcomes).containsExactly("self-check different");
    assertThat(demand())
        .isEqualTo(new ReflectorCommands.Relist(ListReason.SELF_CHECK, writer.head()));
  }

  @Test
  void unconfirmedDifference_isIgnored() {
    writer.list(10, A, B);
    upstream.listAt(10, A).listAt(10, A, B);

    run(Duration.ofMinutes(10), 1);

    assertThat(upstream.asked)
        .containsExactly("list metadata at 10", "reconnect", "list metadata at 10");
    assertThat(outcomes).containsExactly("self-check equal");
    assertThat(demand()).isNull();
  }

  /** The rest of the deletes of one transaction arrives while the state is compared. */
  @Test
  void stateBetweenDeletesOfOneVersion_isNotRelisted() {
    writer.list(10, A, B);
    writer.event(Upstream.EventType.DELETED, A.at(20));
    upstream
        .listAt(
            sink -> {
              writer.event(Upstream.EventType.DELETED, B.at(20));
              return new Upstream.Listed("20");
            })
        .listAt(20);

    run(Duration.ofMinutes(10), 1);

    assertThat(outcomes).containsExactly("self-check equal");
    assertThat(demand()).isNull();
  }

  @Test
  void lostDelete_causesRelist() {
    writer.list(10, A, B);
    upstream.listAt(10, B).listAt(10, B);

    run(Duration.ofMinutes(10), 1);

    assertThat(demand())
        .isEqualTo(new ReflectorCommands.Relist(ListReason.SELF_CHECK, writer.head()));
  }

  @Test
  void failedComparison_changesNothing() {
    writer.list(10, A, B);
    upstream
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Expired("x")))
        .listAt(sink -> new Upstream.ListFailed(new UpstreamFailure.Transport("x")))
        .listAt(11, A)
        .listAt(
            sink -> {
              sink.item(A.bytes());
              sink.item("no object".getBytes(java.nio.charset.StandardCharsets.UTF_8));
              sink.item(B.bytes());
              return new Upstream.Listed("10");
            })
        .listAt(
            sink -> {
              throw new IllegalStateException("a failure on purpose");
            });

    run(Duration.ofMinutes(10), 5);

    assertThat(outcomes)
        .containsExactly(
            "self-check expired",
            "self-check failed",
            "self-check failed",
            "self-check equal",
            "self-check failed");
    assertThat(demand()).isNull();
  }

  @Test
  void disconnectedOrDisabled_comparesNothing() {
    run(Duration.ofMinutes(10), 1);
    writer.list(10, A, B);
    run(Duration.ZERO, 0);
    writer.upstream(UpstreamState.ReflectorPhase.DISCONNECTED, null);
    run(Duration.ofMinutes(10), 1);

    assertThat(upstream.asked).isEmpty();
  }
}
