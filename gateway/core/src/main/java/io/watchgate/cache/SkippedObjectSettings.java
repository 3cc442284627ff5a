package io.watchgate.cache;

import java.time.Duration;

/** Limits for objects that cannot be read and are skipped. */
final class SkippedObjectSettings {
  /**
   * Maximum number of remembered keys of each type: bounds the memory of a type with many broken
   * objects.
   */
  static final int MAX_KEYS = 10_000;

  /**
   * Maximum number of retries per {@link #RETRIES_EVERY} for events that do not identify their
   * object.
   */
  static final int MAX_RETRIES = 2;

  /** Interval for which retries are counted. */
  static final Duration RETRIES_EVERY = Duration.ofMinutes(10);

  /** Minimum interval between two lines of the log about one type. */
  static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  private SkippedObjectSettings() {}
}
