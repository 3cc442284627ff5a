package io.watchgate.cache;

import java.time.Duration;

/** Parts of the heap that {@link HeapBudget} does not give out, and waits for released heap. */
public final class HeapSettings {
  /** Reserve for the program: a gateway without types and streams has 14 MiB of live objects. */
  public static final long PROGRAM_BYTES = 16L << 20;

  /**
   * Further bytes that the program uses while types are open and streams begin and end: four to
   * five megabytes were measured with one large type. They are taken from the sixth of the heap
   * that is reserved for garbage.
   */
  static final long PROGRAM_IN_USE_BYTES = 4L << 20;

  /** Minimum heap in bytes: with less, there is no room for a type of a few megabytes. */
  public static final long MIN_HEAP = 40L << 20;

  /**
   * Divisor of the heap that gives the part for garbage, and for memory that a collector cannot
   * use.
   */
  static final int GARBAGE_DIVISOR = 6;

  /**
   * Divisor of the limit. States use at most 29 of these 32 parts. New streams are refused while
   * memory that cannot be released exceeds 31 parts, and accepted again at 30.
   */
  static final int RESERVE_DIVISOR = 32;

  /**
   * Divisor of the limit that gives the part that is released in addition to the excess, so that
   * the next release is not due at once.
   */
  static final int SLACK_DIVISOR = 16;

  /**
   * Divisor of the limit that gives the bytes that each history keeps until pins have been
   * released.
   */
  static final int MIN_HISTORY_DIVISOR = 64;

  /** Interval of the checks for heap that was given up: the collector signals nothing. */
  static final Duration POLL = Duration.ofMillis(1);

  /**
   * Longest wait of one event for heap that was given up: a stream that never releases its pins
   * must not block a type.
   */
  static final Duration WAIT = Duration.ofSeconds(5);

  private HeapSettings() {}
}
