package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of failures of unary calls. */
final class UnaryCallsTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Scheduler timers = new ImmediateTimers();
  private final ReplicaSelector replicas = selector("10.0.0.1");
  private final UnaryCalls calls = new UnaryCalls(replicas, timers, new Random(7));

  private ReplicaSelector selector(String... hosts) {
    List<HostPort> targets = Stream.of(hosts).map(host -> new HostPort(host, 7443)).toList();
    return new ReplicaSelector(
        () -> targets,
        target -> InProcessChannelBuilder.forName(target.toString()).build(),
        timers,
        new Random(7));
  }

  @AfterEach
  void close() {
    replicas.close();
  }

  private void fail(StatusRuntimeException failure) {
    calls.call(
        LIMIT,
        stub -> {
          throw failure;
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"})
  void localFailure_doesNotSkipReplica(Status.Code code) throws Exception {
    Replica only = replicas.choose(null);
    StatusRuntimeException failure = code.toStatus().asRuntimeException();

    assertThatThrownBy(() -> fail(failure)).isSameAs(failure);
    assertThat(replicas.isPreferred(only)).isTrue();
  }

  @Test
  void unavailableReplica_isSkipped() throws Exception {
    Replica only = replicas.choose(null);
    StatusRuntimeException failure = Status.UNAVAILABLE.asRuntimeException();

    assertThatThrownBy(() -> fail(failure)).isSameAs(failure);
    assertThat(replicas.isPreferred(only)).isFalse();
  }

  /** Pages of a list are only valid at the replica of the first one. */
  @Test
  void outageOfAllReplicas_isOver_callsStayAtOneReplica() throws Exception {
    ReplicaSelector both = selector("10.0.0.1", "10.0.0.2");
    UnaryCalls unary = new UnaryCalls(both, timers, new Random(7));
    StatusRuntimeException failure =
        Status.UNAVAILABLE.withCause(new IOException("refused")).asRuntimeException();
    assertThatThrownBy(
            () ->
                unary.call(
                    LIMIT,
                    stub -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    Set<Channel> used = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      used.add(unary.call(LIMIT, stub -> stub.getChannel()));
    }
    both.close();
    assertThat(used).hasSize(1);
  }

  @Test
  void errorWithoutReason_afterGatewayAnswer_isThrownUnchanged() {
    StatusRuntimeException failure = Status.UNIMPLEMENTED.asRuntimeException();
    assertThat(calls.<String>call(LIMIT, stub -> "answer")).isEqualTo("answer");

    assertThatThrownBy(() -> fail(failure)).isSameAs(failure);
  }

  @Test
  void errorWithoutReason_withoutGatewayAnswer_keepsCause() {
    IOException cause = new IOException("HTTP status code 404");
    StatusRuntimeException failure = Status.UNIMPLEMENTED.withCause(cause).asRuntimeException();

    assertThatThrownBy(() -> fail(failure))
        .hasMessageContaining("no Watchgate has answered")
        .hasCause(cause);
  }
}
