package io.watchgate.audit;

import java.time.Duration;

/**
 * Bounds of the audit log, so that one caller cannot fill a disk. Events above the bounds are
 * counted and summarized in one line per interval.
 *
 * @param interval time for which equal denials are summarized; zero: each event gets a line
 * @param linesPerCaller lines that one caller may cause per interval
 * @param maxCounters counters at a time, of all callers; above it the summary of the least recently
 *     used counter is written early
 */
public record AuditSettings(Duration interval, int linesPerCaller, int maxCounters) {
  public static final int DEFAULT_INTERVAL_SECONDS = 60;
  public static final int DEFAULT_LINES_PER_CALLER = 1_000;

  public static final AuditSettings DEFAULTS =
      new AuditSettings(
          Duration.ofSeconds(DEFAULT_INTERVAL_SECONDS),
          DEFAULT_LINES_PER_CALLER,
          /* maxCounters= */ 4_096);

  /** Settings that write a line for each event. */
  public static final AuditSettings EACH =
      new AuditSettings(Duration.ZERO, Integer.MAX_VALUE, DEFAULTS.maxCounters);

  /**
   * Number of callers whose lines are counted. Above it the least recently used caller is dropped,
   * and its count starts at 0 again.
   */
  static final int MAX_CALLERS = 10_000;

  /** Lines that wait for the disk; further lines are dropped and counted. */
  static final int MAX_QUEUED_LINES = 65_536;

  /**
   * Characters after which texts from clients are cut. A selector may have 4 KiB, and a selection
   * 64 names of namespaces.
   */
  static final int MAX_TEXT = 1_024;

  /** Characters of a text that is kept until a summary is written. */
  static final int MAX_KEPT_TEXT = 253;

  /** Namespaces of a selection that are kept until a summary is written. */
  static final int MAX_KEPT_NAMESPACES = 8;
}
