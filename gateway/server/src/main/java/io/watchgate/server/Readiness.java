package io.watchgate.server;

import io.watchgate.ops.ReadinessCheck;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Combination of a gateway's own state and one check for each preloaded type: the answer of {@code
 * /readyz}. Thread-safe.
 */
final class Readiness {
  private final Supplier<List<ReadinessCheck>> types;
  private volatile String notReadyReason = "starting";

  /**
   * Creates the readiness of a gateway that starts.
   *
   * @param types source of the checks of types
   */
  Readiness(Supplier<List<ReadinessCheck>> types) {
    this.types = types;
  }

  /** Records that the gateway itself is ready, whether or not its types are. */
  void markReady() {
    notReadyReason = "";
  }

  /** Records a reason why the gateway itself is not ready. Returns whether the reason changed. */
  boolean markNotReady(String reason) {
    boolean changed = !reason.equals(notReadyReason);
    notReadyReason = reason;
    return changed;
  }

  boolean isReady() {
    return notReadyReason().isEmpty();
  }

  /** Returns the failure of the first check that fails; empty if none does. */
  String notReadyReason() {
    return checks().stream()
        .map(ReadinessCheck::failure)
        .filter(failure -> !failure.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Returns the check of the gateway itself, then one for each type. */
  List<ReadinessCheck> checks() {
    return Stream.concat(
            Stream.of(new ReadinessCheck("gateway", notReadyReason)), types.get().stream())
        .toList();
  }
}
