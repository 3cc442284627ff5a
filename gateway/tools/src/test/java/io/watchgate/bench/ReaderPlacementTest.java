package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.bench.BenchPlan.HostileBehavior;
import io.watchgate.bench.BenchPlan.Kind;
import io.watchgate.bench.BenchPlan.Pace;
import io.watchgate.bench.BenchPlan.Selectors;
import io.watchgate.bench.BenchPlan.Stall;
import io.watchgate.bench.BenchPlan.View;
import io.watchgate.bench.ReaderPlacement.Behavior;
import io.watchgate.bench.ReaderPlacement.Use;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of the readers, and the readers that a write waits for. */
class ReaderPlacementTest {
  private static final Stall NO_STALL = new Stall(0, HostileBehavior.NO_DEMAND);

  private static BenchPlan plan(int streams, int connections, Selectors selectors, Stall stall) {
    BenchPlan.Readers readers =
        new BenchPlan.Readers(
            streams,
            connections,
            selectors,
            View.FULL,
            Optional.empty(),
            OptionalInt.empty(),
            stall);
    return plan(readers, new BenchPlan.Arrivals(0, 0, Duration.ZERO));
  }

  private static BenchPlan plan(BenchPlan.Readers readers, BenchPlan.Arrivals arrivals) {
    return new BenchPlan(
        readers,
        arrivals,
        new BenchPlan.Objects(Kind.PODS, 40, 1024, 20, 10),
        new Pace.Unpaced(8),
        new BenchPlan.Times(Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(1)),
        1);
  }

  @Test
  void streamsAreSpreadEvenly() {
    ReaderPlacement layout = ReaderPlacement.of(plan(100, 10, Selectors.SAME, NO_STALL));
    assertThat(layout.connections()).hasSize(10);
    for (int connection = 0; connection < 10; connection++) {
      int here = connection;
      assertThat(layout.readers()).filteredOn(placed -> placed.connection() == here).hasSize(10);
    }
  }

  @ParameterizedTest
  @EnumSource(HostileBehavior.class)
  void stalledReaders_haveTheRequestedShare(HostileBehavior behavior) {
    ReaderPlacement layout =
        ReaderPlacement.of(plan(100, 10, Selectors.SAME, new Stall(15, behavior)));
    assertThat(layout.readers()).hasSize(100);
    assertThat(layout.readers())
        .filteredOn(placed -> placed.behavior() == Behavior.READS)
        .hasSize(85);
  }

  @Test
  void unreadReaders_haveTheirOwnConnections() {
    ReaderPlacement layout =
        ReaderPlacement.of(plan(100, 10, Selectors.SAME, new Stall(20, HostileBehavior.UNREAD)));
    assertThat(layout.connections()).hasSize(10);
    assertThat(layout.readers())
        .allSatisfy(
            placed ->
                assertThat(placed.connection() >= 8)
                    .isEqualTo(placed.behavior() == Behavior.UNREAD));
  }

  @Test
  void returningReaders_haveTheirOwnConnections() {
    BenchPlan.Readers readers =
        new BenchPlan.Readers(
            104,
            52,
            Selectors.PER_NODE,
            View.FULL,
            Optional.empty(),
            OptionalInt.empty(),
            NO_STALL);
    ReaderPlacement layout =
        ReaderPlacement.of(plan(readers, new BenchPlan.Arrivals(0, 100, Duration.ofSeconds(1))));
    assertThat(layout.connections()).hasSize(52);
    assertThat(layout.readers())
        .filteredOn(placed -> placed.behavior() == Behavior.RETURNS)
        .hasSize(100);
    assertThat(layout.readers())
        .allSatisfy(
            placed ->
                assertThat(layout.connections().get(placed.connection()))
                    .isEqualTo(
                        placed.behavior() == Behavior.RETURNS ? Use.RETURNING : Use.READING));
  }

  @Test
  void write_waitsForReadersOfItsNodeOnly() {
    BenchPlan plan = plan(20, 2, Selectors.PER_NODE, NO_STALL);
    int[][] expected = ReaderPlacement.of(plan).expected(plan);
    // 20 readers, one for each node; the pods are on the first ten, on node (object % 10).
    for (int object = 0; object < 40; object++) {
      int reader = object % 10;
      assertThat(expected[reader % 2][object]).isEqualTo(1);
      assertThat(expected[1 - reader % 2][object]).isZero();
    }
    assertThat(ReaderPlacement.awaited(expected, 40)).containsOnly(1);
  }

  @Test
  void write_doesNotWaitForStalledReaders() {
    BenchPlan plan = plan(100, 10, Selectors.SAME, new Stall(50, HostileBehavior.NO_DEMAND));
    int sum = 0;
    for (int[] connection : ReaderPlacement.of(plan).expected(plan)) {
      sum += connection[0];
    }
    assertThat(sum).isEqualTo(50);
  }
}
