package io.watchgate.cache;

/** Degree to which the held state is known to belong to the history that the cluster has now. */
enum HistoryConfidence {
  /** A list, or a watch without interruption, led here. */
  TRUSTED,
  /** A connection was lost: the cluster may have been restored meanwhile, and have come further. */
  IN_DOUBT,
  /** Compared with the apiserver's state at the same version, twice, and different. */
  LOST
}
