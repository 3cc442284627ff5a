package io.watchgate.e2e.promises;

import io.watchgate.e2e.MetricsText;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Record of one gateway process.
 *
 * @param suffered faults until its end, or until now
 * @param metrics metrics at its end, or now
 */
record ProcessRecord(Set<ReplicaFault> suffered, MetricsText metrics) {
  ProcessRecord {
    suffered = Set.copyOf(suffered);
  }

  /** Returns its upstream requests as text for a person. */
  String asked() {
    return metrics
        .page()
        .lines()
        .filter(line -> line.matches("watchgate_(lists|backfills|watch_ends)_total\\{.*"))
        .collect(Collectors.joining("\n  ", suffered + "\n  ", "\n"));
  }
}
