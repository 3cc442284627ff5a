package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.bench.Layout.Conduct;
import io.watchgate.bench.Layout.Use;
import io.watchgate.bench.Plan.Kind;
import io.watchgate.bench.Plan.Pace;
import io.watchgate.bench.Plan.Selectors;
import io.watchgate.bench.Plan.Stall;
import io.watchgate.bench.Plan.StallManner;
import io.watchgate.bench.Plan.View;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where readers sit, and who waits for whom. */
class LayoutTest {
  private static Plan plan(int streams, int connections, Selectors selectors, Stall stall) {
    Plan.Readers readers =
        new Plan.Readers(
            streams,
            connections,
            selectors,
            View.FULL,
            Optional.empty(),
            OptionalInt.empty(),
            stall);
    return plan(readers, Plan.Arrivals.NONE);
  }

  private static Plan plan(Plan.Readers readers, Plan.Arrivals arrivals) {
    return new Plan(
        readers,
        arrivals,
        new Plan.Objects(Kind.PODS, 40, 1024, 20, 10),
        new Pace.Unpaced(8),
        Duration.ofSeconds(1),
        Duration.ZERO,
        Duration.ofSeconds(1),
        1);
  }

  @Test
  void streamsAreSpreadEvenly() {
    Layout layout = Layout.of(plan(100, 10, Selectors.SAME, Stall.NONE));
    assertThat(layout.connections()).hasSize(10);
    for (int connection = 0; connection < 10; connection++) {
      int here = connection;
      assertThat(layout.seats()).filteredOn(seat -> seat.connection() == here).hasSize(10);
    }
  }

  @ParameterizedTest
  @EnumSource(StallManner.class)
  void asManyStallAsWasAskedFor(StallManner manner) {
    Layout layout = Layout.of(plan(100, 10, Selectors.SAME, new Stall(15, manner)));
    assertThat(layout.seats()).hasSize(100);
    assertThat(layout.seats()).filteredOn(seat -> seat.conduct() == Conduct.READS).hasSize(85);
  }

  @Test
  void unreadSocketsAreSharedWithNobodyWhoReads() {
    Layout layout = Layout.of(plan(100, 10, Selectors.SAME, new Stall(20, StallManner.UNREAD)));
    assertThat(layout.connections()).hasSize(10);
    assertThat(layout.seats())
        .allSatisfy(
            seat -> assertThat(seat.connection() >= 8).isEqualTo(seat.conduct() == Conduct.UNREAD));
  }

  @Test
  void whoLeavesSharesItsConnectionWithNobodyWhoStays() {
    Plan.Readers readers =
        new Plan.Readers(
            104,
            52,
            Selectors.PER_NODE,
            View.FULL,
            Optional.empty(),
            OptionalInt.empty(),
            Stall.NONE);
    Layout layout = Layout.of(plan(readers, new Plan.Arrivals(0, 100, Duration.ofSeconds(1))));
    assertThat(layout.connections()).hasSize(52);
    assertThat(layout.seats()).filteredOn(seat -> seat.conduct() == Conduct.TRAVELS).hasSize(100);
    assertThat(layout.seats())
        .allSatisfy(
            seat ->
                assertThat(layout.connections().get(seat.connection()))
                    .isEqualTo(seat.conduct() == Conduct.TRAVELS ? Use.TRAVELLING : Use.READING));
  }

  @Test
  void aWriteWaitsForTheReadersOfItsNodeAlone() {
    Plan plan = plan(20, 2, Selectors.PER_NODE, Stall.NONE);
    int[][] expected = Layout.of(plan).expected(plan);
    // 20 readers, one for each node; the pods are on the first ten, on node (object % 10).
    for (int object = 0; object < 40; object++) {
      int reader = object % 10;
      assertThat(expected[reader % 2][object]).isEqualTo(1);
      assertThat(expected[1 - reader % 2][object]).isZero();
    }
    assertThat(Layout.awaited(expected, 40)).containsOnly(1);
  }

  @Test
  void nobodyWaitsForThoseWhoStall() {
    Plan plan = plan(100, 10, Selectors.SAME, new Stall(50, StallManner.NO_DEMAND));
    int sum = 0;
    for (int[] connection : Layout.of(plan).expected(plan)) {
      sum += connection[0];
    }
    assertThat(sum).isEqualTo(50);
  }
}
