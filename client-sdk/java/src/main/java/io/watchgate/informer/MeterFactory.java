package io.watchgate.informer;

/**
 * Adapter to a program's metrics registry, such as {@link
 * io.watchgate.micrometer.MicrometerMeters}. Must be thread-safe.
 */
@FunctionalInterface
public interface MeterFactory {
  /**
   * Registers the meter.
   *
   * @return action that removes the meter
   */
  Runnable register(InformerMeter meter);

  /** Returns a factory that registers nothing. */
  static MeterFactory none() {
    return meter -> () -> {};
  }
}
