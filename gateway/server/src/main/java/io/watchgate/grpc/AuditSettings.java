package io.watchgate.grpc;

import java.time.Duration;

/**
 * Bounds of the audit log, so that one caller cannot fill a disk. Events above the bounds are
 * counted and summed up in one line per interval.
 *
 * @param interval time for which equal denials are summed up; zero: each event gets a line
 * @param linesPerCaller lines that one caller may cause per interval
 * @param maxCounters counters at a time, of all callers; above it the summary of the least recently
 *     used counter is written early
 */
public record AuditSettings(Duration interval, int linesPerCaller, int maxCounters) {
  public static final AuditSettings DEFAULTS =
      new AuditSettings(Duration.ofSeconds(60), 1_000, 4_096);

  /** Settings that write a line for each event. */
  public static final AuditSettings EACH =
      new AuditSettings(Duration.ZERO, Integer.MAX_VALUE, DEFAULTS.maxCounters);
}
