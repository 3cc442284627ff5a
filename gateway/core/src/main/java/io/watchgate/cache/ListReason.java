package io.watchgate.cache;

import java.util.Locale;

/** Reason of a list of a {@link Reflector}. A watch follows each list that completes. */
public enum ListReason {
  /** The cache has no state yet. */
  INITIAL,
  /** The apiserver does not know the version any more from which a watch was to continue. */
  EXPIRED,
  /** The apiserver refused a watch. */
  REFUSED,
  /** Watches sent something that could not be read, twice without a success between. */
  MALFORMED,
  /** An event came out of order. */
  ORDER,
  /** The apiserver answered with a version before the cached one. */
  ROLLBACK,
  /** The cached state belongs to another timeline: the cluster was restored. */
  RESTORED,
  /** The apiserver cannot prove by versions that the state belongs to its timeline. */
  UNPROVABLE,
  /** Watches fail although probes are answered. */
  ERRORS,
  /** The periodic comparison found a difference. */
  SELF_CHECK;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Returns the label of metrics and the word of logs. */
  public String label() {
    return label;
  }
}
