package io.watchgate.e2e.promises;

import io.watchgate.e2e.MetricsText;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What became of one process of a gateway.
 *
 * @param suffered until it ended, or until now
 * @param metrics when it ended, or now
 */
record Life(Set<ReplicaFault> suffered, MetricsText metrics) {
  Life {
    suffered = Set.copyOf(suffered);
  }

  /** What it asked the apiserver, for a person. */
  String asked() {
    return metrics
        .page()
        .lines()
        .filter(line -> line.matches("watchgate_(lists|backfills|watch_ends)_total\\{.*"))
        .collect(Collectors.joining("\n  ", suffered + "\n  ", "\n"));
  }
}
