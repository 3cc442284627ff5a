package io.watchgate.grpc;

import java.time.Duration;

/**
 * Bounds of the audit log, so that one caller cannot fill a disk. Events beyond them are counted
 * and summed up in one line per interval.
 *
 * @param interval how long equal denials are summed up; zero: each event gets a line
 * @param linesOfOne lines that one caller may cause in an interval
 * @param sums that are counted at a time, of all callers; beyond it the one that is used least is
 *     written early
 */
public record AuditSettings(Duration interval, int linesOfOne, int sums) {
  public static final AuditSettings DEFAULTS =
      new AuditSettings(Duration.ofSeconds(60), 1_000, 4_096);

  /** A line for each event. */
  public static final AuditSettings EACH =
      new AuditSettings(Duration.ZERO, Integer.MAX_VALUE, DEFAULTS.sums);
}
