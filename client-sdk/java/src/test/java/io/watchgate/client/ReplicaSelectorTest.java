package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.watchgate.proto.v1.GoingAwayReason;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the choice of the next replica. */
class ReplicaSelectorTest {
  private static final HostPort A = new HostPort("10.0.0.1", 7443);
  private static final HostPort B = new HostPort("10.0.0.2", 7443);
  private static final HostPort C = new HostPort("10.0.0.3", 7443);

  private final ManualTimers timers = new ManualTimers();
  private final Map<HostPort, ManagedChannel> channels = new HashMap<>();
  private List<HostPort> known = List.of(A, B, C);
  private boolean away;
  private int lookUps;
  private final ReplicaSelector replicas =
      new ReplicaSelector(
          () -> {
            lookUps++;
            if (away) {
              throw new UnknownHostException("watchgate");
            }
            return known;
          },
          target -> {
            ManagedChannel channel =
                InProcessChannelBuilder.forName(target.toString()).directExecutor().build();
            channels.put(target, channel);
            return channel;
          },
          timers,
          new Random(7));

  @AfterEach
  void close() {
    replicas.close();
  }

  private List<HostPort> next(int count) throws UnknownHostException {
    List<HostPort> chosen = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      chosen.add(replicas.choose(null).target());
    }
    return chosen;
  }

  private Replica at(HostPort target) throws UnknownHostException {
    while (true) {
      Replica chosen = replicas.choose(null);
      if (chosen.target().equals(target)) {
        return chosen;
      }
    }
  }

  private static Interruption failed(String reason) {
    return new Interruption.Failed(
        new WatchError(Status.Code.UNAVAILABLE, reason, ErrorAction.RESUME, "x", Duration.ZERO));
  }

  private static Interruption goingAway(GoingAwayReason reason) {
    return new Interruption.GoingAway(reason, Duration.ZERO);
  }

  @Test
  void streams_areDistributedRoundRobin() throws Exception {
    assertThat(next(3)).containsExactlyInAnyOrder(A, B, C);
    assertThat(next(300)).filteredOn(A::equals).hasSize(100);
  }

  @Test
  void replicaWithoutChannel_affectsNoOther() throws Exception {
    ReplicaSelector some =
        new ReplicaSelector(
            () -> known,
            target -> {
              if (target.equals(A)) {
                throw new IllegalArgumentException("on purpose");
              }
              return InProcessChannelBuilder.forName(target.toString()).build();
            },
            timers,
            new Random(7));
    assertThat(List.of(some.choose(null).target(), some.choose(null).target()))
        .containsExactlyInAnyOrder(B, C);
    some.close();
  }

  private ReplicaSelector another(int seed) {
    return new ReplicaSelector(
        () -> known,
        target -> InProcessChannelBuilder.forName(target.toString()).build(),
        timers,
        new Random(seed));
  }

  /**
   * Otherwise the replica that follows in the order of names would receive all streams of the
   * removed ones.
   */
  @Test
  void streamsOfRemovedReplicas_areSpreadOverRest() throws Exception {
    known = IntStream.rangeClosed(1, 6).mapToObj(i -> new HostPort("10.0.0." + i, 7443)).toList();
    Map<HostPort, Integer> chosen = new HashMap<>();
    for (int seed = 0; seed < 600; seed++) {
      ReplicaSelector client = another(seed);
      List<Replica> ending = new ArrayList<>();
      while (ending.size() < 3) {
        Replica one = client.choose(null);
        if (known.indexOf(one.target()) >= 3 && !ending.contains(one)) {
          ending.add(one);
        }
      }
      ending.forEach(
          one ->
              client.recordInterruption(
                  one, goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING)));
      chosen.merge(client.choose(ending.get(seed % 3)).target(), 1, Integer::sum);
      client.close();
    }
    assertThat(chosen.keySet()).containsExactlyInAnyOrderElementsOf(known.subList(0, 3));
    assertThat(chosen.values()).allMatch(times -> times > 150 && times < 250);
  }

  @Test
  void clients_startAtDifferentReplicas() throws Exception {
    List<HostPort> first = new ArrayList<>();
    for (int seed = 0; seed < 100; seed++) {
      ReplicaSelector client = another(seed);
      first.add(client.choose(null).target());
      client.close();
    }
    for (HostPort target : known) {
      assertThat(first).filteredOn(target::equals).hasSizeGreaterThan(15);
    }
  }

  @Test
  void unreachableReplica_isSkippedWithBackoff() throws Exception {
    Replica dead = at(B);
    assertThat(replicas.recordInterruption(dead, failed(""))).isTrue();
    assertThat(next(20)).doesNotContain(B);
    timers.pass(Duration.ofSeconds(1));
    assertThat(next(3)).contains(B);

    for (int i = 0; i < 10; i++) {
      replicas.recordInterruption(dead, new Interruption.Silence(Duration.ofSeconds(90)));
    }
    long longest = 0;
    while (!next(3).contains(B)) {
      timers.pass(Duration.ofMillis(500));
      longest += 500;
    }
    assertThat(longest).isBetween(1L, 30_500L);
    replicas.recordAdmission(dead);
    assertThat(dead.failures).isZero();
  }

  @Test
  void simultaneousFailures_countOnce() throws Exception {
    Replica dead = at(B);
    for (int stream = 0; stream < 30; stream++) {
      replicas.recordInterruption(dead, failed(""));
    }
    assertThat(next(20)).doesNotContain(B);
    timers.pass(Duration.ofSeconds(1));
    assertThat(next(3)).contains(B);
  }

  @Test
  void drainingReplica_isSkippedUntilBack() throws Exception {
    replicas.recordInterruption(at(A), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));
    replicas.recordInterruption(at(B), failed("DRAINING"));

    assertThat(next(10)).containsOnly(C);
    timers.pass(ReplicaSelector.DRAINING);
    assertThat(next(3)).containsExactlyInAnyOrder(A, B, C);
  }

  /**
   * If several replicas move streams away, the streams go to the replica with the fewest streams.
   */
  @Test
  void overloadedReplica_isSkippedForAWhile() throws Exception {
    replicas.recordInterruption(at(A), goingAway(GoingAwayReason.GOING_AWAY_REASON_REBALANCING));
    replicas.recordInterruption(at(B), goingAway(GoingAwayReason.GOING_AWAY_REASON_REBALANCING));

    assertThat(next(10)).containsOnly(C);
    timers.pass(ReplicaSelector.REBALANCING);
    assertThat(next(3)).containsExactlyInAnyOrder(A, B, C);
  }

  @Test
  void laggingReplica_isSkippedBriefly() throws Exception {
    replicas.recordInterruption(at(A), failed("BEHIND"));

    assertThat(next(10)).doesNotContain(A);
    timers.pass(ReplicaSelector.BEHIND);
    assertThat(next(3)).contains(A);
  }

  /** The age of a stream, or an invalid request, is no reason to avoid the replica. */
  @Test
  void unrelatedError_doesNotSkipReplica() throws Exception {
    Replica a = at(A);
    replicas.recordInterruption(a, goingAway(GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE));
    replicas.recordInterruption(a, failed("LAGGED"));
    replicas.recordInterruption(a, new Interruption.GroupTooLarge(1));

    assertThat(next(3)).contains(A);
  }

  @Test
  void previousReplica_isChosenLast() throws Exception {
    Replica left = at(A);
    for (int i = 0; i < 10; i++) {
      assertThat(replicas.choose(left).target()).isNotEqualTo(A);
    }
    known = List.of(A);
    timers.pass(ReplicaSelector.LOOKUP_CACHE_TIME);
    assertThat(replicas.choose(left).target()).isEqualTo(A);
  }

  @Test
  void allSkipped_eachIsTriedInTurn() throws Exception {
    Replica a = at(A);
    replicas.recordInterruption(a, failed("DRAINING"));
    replicas.recordInterruption(at(B), failed("BEHIND"));
    assertThat(replicas.recordInterruption(at(C), failed("DRAINING"))).as("another one").isFalse();

    List<HostPort> tried = next(3);
    assertThat(tried).containsExactlyInAnyOrder(A, B, C);
    assertThat(next(3)).isEqualTo(tried);
  }

  /**
   * The first does not answer, the second stops answering, and the third had announced its
   * shutdown.
   */
  @Test
  void onlyReachableReplica_isFound() throws Exception {
    replicas.recordInterruption(at(C), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));
    Replica left = at(A);
    List<HostPort> tried = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      replicas.recordInterruption(left, failed(""));
      left = replicas.choose(left);
      tried.add(left.target());
      timers.pass(Duration.ofSeconds(4));
    }
    assertThat(tried).contains(C);
  }

  /** Two replicas restarted one after the other, and then the third died. */
  @Test
  void deadReplica_isReplacedByDrainingOnes() throws Exception {
    replicas.recordInterruption(at(A), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));
    replicas.recordInterruption(at(B), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));
    Replica last = at(C);
    replicas.recordInterruption(last, failed(""));

    assertThat(replicas.choose(last).target()).isIn(A, B);
    timers.pass(Duration.ofSeconds(2));
    assertThat(replicas.choose(last).target()).isIn(A, B);
  }

  @Test
  void movedStream_returnsIfAllOthersDrain() throws Exception {
    replicas.recordInterruption(at(A), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));
    replicas.recordInterruption(at(B), goingAway(GoingAwayReason.GOING_AWAY_REASON_DRAINING));

    assertThat(replicas.choose(at(C)).target()).isEqualTo(C);
  }

  @Test
  void replicas_followTheLookup() throws Exception {
    known = List.of(A, B);
    assertThat(next(4)).containsOnly(A, B);
    known = List.of(B, C);
    assertThat(next(4)).containsOnly(A, B);
    timers.pass(ReplicaSelector.LOOKUP_CACHE_TIME);

    assertThat(next(4)).containsOnly(B, C);
    assertThat(lookUps).isEqualTo(2);
    assertThat(Objects.requireNonNull(channels.get(A)).isShutdown()).isTrue();
    assertThat(Objects.requireNonNull(channels.get(B)).isShutdown()).isFalse();
  }

  @Test
  void failedLookup_keepsKnownReplicas() throws Exception {
    away = true;
    assertThatThrownBy(() -> replicas.choose(null)).isInstanceOf(UnknownHostException.class);
    away = false;
    assertThat(next(3)).hasSize(3);
    away = true;
    timers.pass(ReplicaSelector.LOOKUP_CACHE_TIME);

    assertThat(next(3)).containsExactlyInAnyOrder(A, B, C);
  }
}
