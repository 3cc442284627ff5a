package io.watchgate.informer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Definitions of the meters of an informer. */
final class InformerMeters {
  private static final String PREFIX = "watchgate_informer_";

  private final Map<String, String> labels;

  private InformerMeters(String name) {
    labels = Map.of("informer", name);
  }

  static List<InformerMeter> of(String name, Reflector<?> reflector) {
    InformerMeters meters = new InformerMeters(name);
    Store<?> store = reflector.store();
    InformerCounters counters = reflector.counters();
    return List.of(
        meters.gauge("objects", "Objects in the store.", () -> store.snapshot().size()),
        meters.gauge(
            "synced",
            "1 once the first snapshot is complete, else 0.",
            () -> store.isSynced() ? 1 : 0),
        meters.gauge(
            "staleness_seconds",
            "Upper bound of the time by which the store is behind the apiserver.",
            () -> reflector.staleness().map(InformerMeters::seconds).orElse(Double.NaN)),
        meters.gauge(
            "pending_changes", "Changes that are queued for handlers.", store::pendingChanges),
        meters.counter("changes_total", "Changes received.", counters::changes),
        meters.counter(
            "stale_changes_total",
            "Changes that were older than the store and were dropped.",
            reflector::staleChanges),
        meters.counter(
            "snapshots_total",
            "Snapshots that began, the first one included.",
            counters::snapshots),
        meters.counter(
            "interruptions_total",
            "Streams and attempts to open a stream that ended.",
            counters::interruptions),
        meters.counter(
            "restarts_total",
            "Restarts because an update could not be applied or violated the protocol.",
            reflector::restarts),
        meters.counter("problems_total", "Problems of all kinds.", reflector.problems()::count));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private InformerMeter gauge(String name, String help, DoubleSupplier value) {
    return new InformerMeter(PREFIX + name, InformerMeter.Kind.GAUGE, help, labels, value);
  }

  private InformerMeter counter(String name, String help, DoubleSupplier value) {
    return new InformerMeter(PREFIX + name, InformerMeter.Kind.COUNTER, help, labels, value);
  }
}
