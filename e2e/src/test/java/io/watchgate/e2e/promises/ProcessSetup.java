package io.watchgate.e2e.promises;

import java.nio.file.Path;
import java.util.List;

/**
 * What differs from one {@link GatewayProcess} to another.
 *
 * @param changed folders of classes that it takes instead of the gateway's own
 * @param heapMib beyond which it ends
 * @param historyKib of each type; AS_SERVED: as much, and as patient, as {@code watchgate serve}
 * @param types that it opens at the start, and is not ready without; others it opens when asked
 */
record ProcessSetup(List<Path> changed, int heapMib, int historyKib, List<String> types) {
  /** In place of a history's KiB. */
  static final int AS_SERVED = 0;

  /** Little history, so that it is trimmed all the time, and whoever pauses falls out of it. */
  static final ProcessSetup USUAL = new ProcessSetup(List.of(), 256, 512, List.of());

  /** With room for all that happens in a minute, so that nobody falls out of anything. */
  static final ProcessSetup ROOMY =
      new ProcessSetup(List.of(), 256, 64 << 10, List.of("configmaps", "pods", "leases"));

  /** The same for ten minutes and many writes: what is fetched of the past has to fit, too. */
  static final ProcessSetup ROOMIEST = new ProcessSetup(List.of(), 1_024, 256 << 10, ROOMY.types);

  ProcessSetup {
    changed = List.copyOf(changed);
    types = List.copyOf(types);
  }

  ProcessSetup withChanged(List<Path> folders) {
    return new ProcessSetup(folders, heapMib, historyKib, types);
  }

  ProcessSetup withHeap(int mib) {
    return new ProcessSetup(changed, mib, historyKib, types);
  }
}
