package io.watchgate.check;

import java.time.Instant;

/**
 * What happened upstream.
 *
 * @param state for DELETED, the last; its version is always the one of the change
 * @param by a moment after it happened, whoever's clock is looked at
 */
public record RecordedChange(RecordedKind kind, RecordedState state, Instant by) {
  CheckedVersion version() {
    return state.version();
  }

  @Override
  public String toString() {
    return "%s %s uid %s at %s".formatted(kind, state.key(), state.uid(), version());
  }
}
