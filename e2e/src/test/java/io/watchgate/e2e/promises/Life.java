package io.watchgate.e2e.promises;

import io.watchgate.e2e.MetricsText;
import java.util.Set;

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
}
