package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.CheckReport;
import java.util.List;

/**
 * Results of a trial's informers.
 *
 * @param wrong violations that are not covered by a promise, one sentence each
 * @param snapshots number of judged states of stores
 * @param changes number of changes received by all handlers
 */
record InformerResults(CheckReport report, List<String> wrong, long snapshots, long changes) {
  InformerResults {
    wrong = List.copyOf(wrong);
  }

  void assertHolds(String run) {
    assertThat(report.holds()).as("informers, %s: %s", run, text()).isTrue();
    assertThat(wrong).as("informers, %s", run).isEmpty();
    assertThat(snapshots).as("states of stores").isPositive();
    assertThat(changes).as("what handlers were told").isPositive();
  }

  String text() {
    return "informers: %,d states of stores, %,d things told%n%s%s"
        .formatted(snapshots, changes, report.text(), String.join("\n", wrong));
  }
}
