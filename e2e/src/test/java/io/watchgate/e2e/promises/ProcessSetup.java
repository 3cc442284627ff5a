package io.watchgate.e2e.promises;

import io.watchgate.server.GatewaySettings;
import java.nio.file.Path;
import java.util.List;

/**
 * Settings of a {@link GatewayProcess}.
 *
 * @param changed folders of classes that replace the gateway's own
 * @param heapMib heap limit; above it the process ends
 * @param historyKib history of each type; AS_SERVED: history and timeouts of {@code watchgate
 *     serve}
 * @param types types that are opened at the start and required for readiness; others are opened on
 *     demand
 * @param lane way of the responses
 */
record ProcessSetup(
    List<Path> changed,
    int heapMib,
    int historyKib,
    List<String> types,
    GatewaySettings.Lane lane) {
  /** Special value of the history size. */
  static final int AS_SERVED = 0;

  /** Small history, so that it is trimmed all the time and a stream that pauses falls out of it. */
  static final ProcessSetup USUAL =
      new ProcessSetup(List.of(), 256, 512, List.of(), GatewaySettings.Lane.ON);

  /** History for all changes of a minute, so that no stream falls out of it. */
  static final ProcessSetup ROOMY =
      new ProcessSetup(
          List.of(),
          256,
          64 << 10,
          List.of("configmaps", "pods", "leases"),
          GatewaySettings.Lane.ON);

  /** History for ten minutes and many writes; backfilled history must fit as well. */
  static final ProcessSetup ROOMIEST =
      new ProcessSetup(List.of(), 1_024, 256 << 10, ROOMY.types, GatewaySettings.Lane.ON);

  ProcessSetup {
    changed = List.copyOf(changed);
    types = List.copyOf(types);
  }

  ProcessSetup withChanged(List<Path> folders) {
    return new ProcessSetup(folders, heapMib, historyKib, types, lane);
  }

  ProcessSetup withHeap(int mib) {
    return new ProcessSetup(changed, mib, historyKib, types, lane);
  }

  ProcessSetup withoutLane() {
    return new ProcessSetup(changed, heapMib, historyKib, types, GatewaySettings.Lane.OFF);
  }
}
