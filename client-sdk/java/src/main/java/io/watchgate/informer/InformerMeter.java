package io.watchgate.informer;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Meter of an informer whose value is read on demand.
 *
 * @param name Prometheus name: {@code watchgate_informer_changes_total}
 * @param help one-sentence description; the unit is part of the name
 * @param labels {@code informer}: the informer's name
 * @param value supplier of the value, quick and callable from any thread; NaN while it is unknown
 */
public record InformerMeter(
    String name, Kind kind, String help, Map<String, String> labels, DoubleSupplier value) {

  /** Meter type. */
  public enum Kind {
    /** Value that only grows. */
    COUNTER,
    /** Value that grows and shrinks. */
    GAUGE
  }

  public InformerMeter {
    labels = Map.copyOf(labels);
  }
}
