package io.watchgate.sandbox;

/**
 * How an object is to be deleted.
 *
 * @param graceSeconds negative for what the object itself has
 * @param uid that it has to have; empty for any
 * @param version that it has to have; empty for any
 */
record DeleteOptions(long graceSeconds, String uid, String version, DryRun commit) {
  static final DeleteOptions AT_ONCE = new DeleteOptions(0, "", "", DryRun.REAL);
}
