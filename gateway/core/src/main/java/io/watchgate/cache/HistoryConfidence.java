package io.watchgate.cache;

/** Degree of certainty that the cached state belongs to the present timeline of the cluster. */
enum HistoryConfidence {
  /** A list, or a watch without interruption, led to the state. */
  TRUSTED,
  /**
   * A connection was lost: the cluster may have been restored meanwhile and have passed the
   * version.
   */
  IN_DOUBT,
  /** The state differs from the apiserver's state at the same version, by two comparisons. */
  LOST
}
