package io.watchgate.informer;

/**
 * Where the numbers of informers go: a program's own registry, such as {@link
 * io.watchgate.micrometer.MicrometerMeters}. Must be thread-safe.
 */
@FunctionalInterface
public interface MeterFactory {
  /**
   * Shows that number from now on.
   *
   * @return takes it away again
   */
  Runnable register(InformerMeter meter);

  /** Shows none. */
  static MeterFactory none() {
    return meter -> () -> {};
  }
}
