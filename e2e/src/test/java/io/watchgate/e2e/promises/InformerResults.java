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
 * @param changes number of changes received by all handlers and readers, by the language
 */
record InformerResults(
    CheckReport report,
    List<String> wrong,
    SortedMap<String, Long> states,
    SortedMap<String, Long> changes) {
  InformerResults {
    wrong = List.copyOf(wrong);
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
    changes = Collections.unmodifiableSortedMap(new TreeMap<>(changes));
  }

  void assertHolds(String run) {
    assertThat(report.holds()).as("informers, %s: %s", run, text()).isTrue();
    assertThat(wrong).as("informers, %s", run).isEmpty();
    assertPositive("states of stores", states);
    assertPositive("changes that handlers and readers received", changes);
  }

  private static void assertPositive(String what, SortedMap<String, Long> numbers) {
    assertThat(numbers.values())
        .as("%s, %s", what, numbers)
        .isNotEmpty()
        .allSatisfy(number -> assertThat(number).isPositive());
  }

  String text() {
    return "informers: states of stores %s, changes received %s%n%s%s"
        .formatted(states, changes, report.text(), String.join("\n", wrong));
  }
}
