package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * State of the list-watch of a type.
 *
 * @param phase present phase of the reflector
 * @param failure last failure of upstream, if it lasts
 */
public record UpstreamState(ReflectorPhase phase, @Nullable UpstreamFailure failure) {

  /** Phase of a reflector. The last five are ends. */
  public enum ReflectorPhase {
    /** No state yet. */
    LOADING,
    /** There is a state, and a watch that keeps it up to date, or that is being reopened. */
    WATCHING,
    /** There is a state, but upstream does not answer. */
    DISCONNECTED,
    /** The apiserver does not serve the type any more. */
    GONE,
    /** The type was defined again: another uid or scope, or more selectable fields. */
    REDEFINED,
    /** Versions are not decimal numbers, so no guarantee is possible. */
    UNORDERED,
    /** The state is larger than the budget. */
    TOO_LARGE,
    /**
     * The list-watch has ended, and the next request opens it again: there were no readers, the
     * reflector failed, or a new list did not fit into the heap. Or the gateway ends.
     */
    CLOSED;

    public boolean isEnd() {
      return compareTo(GONE) >= 0;
    }
  }

  static UpstreamState of(ReflectorPhase phase) {
    return new UpstreamState(phase, null);
  }
}
