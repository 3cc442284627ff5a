package io.watchgate.informer;

/** Reason for which an object was removed from the informer. */
public enum DeletionReason {
  /** The object was deleted. */
  DELETED,
  /** The object still exists but is not selected any more. */
  NO_LONGER_MATCHES,
  /** The object was missing from a snapshot. Its deletion and its last states were not observed. */
  INFERRED
}
