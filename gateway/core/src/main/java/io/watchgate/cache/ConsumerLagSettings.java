package io.watchgate.cache;

/**
 * Lag of the router behind the reflector before the reflector waits: then changes queue at the
 * apiserver and not in the heap.
 */
final class ConsumerLagSettings {
  /** Upper bound of the lag in bytes, which is otherwise a quarter of the history. */
  static final long MAX_BYTES = 16 << 20;

  /**
   * Lower bound of the lag in bytes, so that a small history does not make the reflector wait for
   * each change.
   */
  static final long MIN_BYTES = 1 << 20;

  /** Age in nanoseconds of the oldest change that was not distributed: 1 s. */
  static final long MAX_LAG_NANOS = 1_000_000_000;

  private ConsumerLagSettings() {}
}
