package io.watchgate.sandbox;

/**
 * Options of a deletion.
 *
 * @param graceSeconds requested grace period; negative for the object's own
 * @param uid required uid; empty for any
 * @param version required resourceVersion; empty for any
 */
record DeleteOptions(long graceSeconds, String uid, String version, DryRun dryRun) {
  static final DeleteOptions AT_ONCE = new DeleteOptions(0, "", "", DryRun.REAL);

  DeleteOptions withoutPreconditions() {
    return new DeleteOptions(graceSeconds, "", "", dryRun);
  }
}
