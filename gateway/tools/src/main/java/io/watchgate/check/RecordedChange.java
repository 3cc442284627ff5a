package io.watchgate.check;

import java.time.Instant;

/**
 * A change at the apiserver.
 *
 * @param state state after the change; for DELETED the last state; its version is always that of
 *     the change
 * @param knownBy a time after the change, on the clock of any process
 */
public record RecordedChange(RecordedKind kind, RecordedState state, Instant knownBy) {
  CheckedVersion version() {
    return state.version();
  }

  @Override
  public String toString() {
    return "%s %s uid %s at %s".formatted(kind, state.key(), state.uid(), version());
  }
}
