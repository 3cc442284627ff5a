package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * How the list-watch of a type is doing.
 *
 * @param phase what the reflector is at
 * @param failure what upstream last refused, if it still does
 */
public record UpstreamState(Phase phase, @Nullable UpstreamFailure failure) {

  /** The life of a reflector. The last four are ends. */
  public enum Phase {
    /** No state yet. */
    LOADING,
    /** State, and a watch that keeps it up to date, or that is being opened anew. */
    WATCHING,
    /** State, while upstream does not answer. */
    DISCONNECTED,
    /** The apiserver does not serve the type any more. */
    GONE,
    /** The type was defined again: another uid or scope, or more selectable fields. */
    REDEFINED,
    /** Versions are no decimal numbers, nothing can be promised. */
    UNORDERED,
    /** The state is larger than the budget. */
    TOO_LARGE,
    /** Nobody wants the type, or the gateway ends. */
    CLOSED;

    public boolean isEnd() {
      return compareTo(GONE) >= 0;
    }
  }

  static UpstreamState of(Phase phase) {
    return new UpstreamState(phase, null);
  }
}
