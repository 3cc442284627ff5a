package io.watchgate.informer;

/** How an object came to be gone. */
public enum DeletionReason {
  /** It was deleted. */
  DELETED,
  /** It is still there, and is not selected any more. */
  NO_LONGER_MATCHES,
  /** It was found missing: nobody saw it go, nor its last states. */
  INFERRED
}
