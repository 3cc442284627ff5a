package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.CheckReport;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Results of a trial's informers.
 *
 * @param wrong violations that are not covered by a promise, one sentence each
 * @param states number of judged states of stores, by the language of the SDK
 * @param changes number of changes received by all handlers
 */
record InformerResults(
    CheckReport report, List<String> wrong, SortedMap<String, Long> states, long changes) {
  InformerResults {
    wrong = List.copyOf(wrong);
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
  }

  void assertHolds(String run) {
    assertThat(report.holds()).as("informers, %s: %s", run, text()).isTrue();
    assertThat(wrong).as("informers, %s", run).isEmpty();
    assertThat(states.values())
        .as("states of stores, %s", states)
        .isNotEmpty()
        .allSatisfy(number -> assertThat(number).isPositive());
    assertThat(changes).as("what handlers were told").isPositive();
  }

  String text() {
    return "informers: states of stores %s, %,d things told%n%s%s"
        .formatted(states, changes, report.text(), String.join("\n", wrong));
  }
}
