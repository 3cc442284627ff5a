package io.watchgate.informer;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * A number that an informer shows, asked for whenever somebody looks.
 *
 * @param name as Prometheus has names: {@code watchgate_informer_changes_total}
 * @param help what it counts, in a sentence; its unit is in the name
 * @param labels {@code informer}: the informer's name
 * @param value quick, for any thread; NaN while nothing is known
 */
public record InformerMeter(
    String name, Kind kind, String help, Map<String, String> labels, DoubleSupplier value) {

  /** How the number moves. */
  public enum Kind {
    /** It only grows. */
    COUNTER,
    /** It goes up and down. */
    GAUGE
  }

  public InformerMeter {
    labels = Map.copyOf(labels);
  }
}
