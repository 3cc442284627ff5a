package io.watchgate.e2e.promises;

import io.watchgate.e2e.MetricsText;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Record of one gateway process.
 *
 * @param suffered faults until its end, or until now
 * @param metrics metrics at its end, or now
 * @param warnings warnings in its log, and in the logs of the processes before it
 */
record ProcessRecord(Set<ReplicaFault> suffered, MetricsText metrics, List<String> warnings) {
  ProcessRecord {
    suffered = Set.copyOf(suffered);
    warnings = List.copyOf(warnings);
  }

  /** Returns its upstream requests and its warnings as text for a person. */
  String asked() {
    Stream<String> requests =
        metrics
            .page()
            .lines()
            .filter(line -> line.matches("watchgate_(lists|backfills|watch_ends)_total\\{.*"));
    return Stream.concat(requests, warnings.stream())
        .collect(Collectors.joining("\n  ", suffered + "\n  ", "\n"));
  }
}
