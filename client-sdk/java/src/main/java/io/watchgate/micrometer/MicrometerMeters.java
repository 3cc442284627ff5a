package io.watchgate.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.watchgate.informer.InformerMeter;
import io.watchgate.informer.MeterFactory;
import java.lang.ref.Reference;
import java.util.List;

/**
 * Meter factory for a Micrometer registry, which names the meters by the rules of its back end:
 * {@code watchgate.informer.changes}. Thread-safe. Needs {@code io.micrometer:micrometer-core} on
 * the program's class path.
 *
 * <pre>{@code
 * Informer.of(client, "pods", decoder).meters(new MicrometerMeters(registry)).start();
 * }</pre>
 */
public final class MicrometerMeters implements MeterFactory {
  private static final String TOTAL = "_total";

  private final MeterRegistry registry;

  /** Creates a factory that registers all meters in {@code registry}. */
  public MicrometerMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Runnable register(InformerMeter meter) {
    List<Tag> tags =
        meter.labels().entrySet().stream()
            .map(label -> Tag.of(label.getKey(), label.getValue()))
            .toList();
    io.micrometer.core.instrument.Meter registered =
        switch (meter.kind()) {
          case COUNTER ->
              FunctionCounter.builder(name(meter), meter, now -> now.value().getAsDouble())
                  .description(meter.help())
                  .tags(tags)
                  .register(registry);
          case GAUGE ->
              Gauge.builder(name(meter), meter, now -> now.value().getAsDouble())
                  .description(meter.help())
                  .tags(tags)
                  .strongReference(true)
                  .register(registry);
        };
    return () -> {
      try {
        registry.remove(registered);
      } finally {
        Reference.reachabilityFence(meter); // Micrometer holds a counter's source weakly
      }
    };
  }

  /** Returns the name without suffixes such as {@code _total}, which Micrometer's back ends add. */
  private static String name(InformerMeter meter) {
    String name = meter.name();
    return (name.endsWith(TOTAL) ? name.substring(0, name.length() - TOTAL.length()) : name)
        .replace('_', '.');
  }
}
