package io.watchgate.check;

/**
 * What happened upstream.
 *
 * @param state for DELETED, the last; its version is always the one of the change
 */
public record Change(Kind kind, State state) {
  Version version() {
    return state.version();
  }

  @Override
  public String toString() {
    return "%s %s uid %s at %s".formatted(kind, state.key(), state.uid(), version());
  }
}
