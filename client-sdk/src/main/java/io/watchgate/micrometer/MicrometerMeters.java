package io.watchgate.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.watchgate.informer.InformerMeter;
import io.watchgate.informer.MeterFactory;
import java.util.List;

/**
 * Shows informers in a registry of Micrometer's, which names them as its back end does: {@code
 * watchgate.informer.changes}. Thread-safe. Needs {@code io.micrometer:micrometer-core}, which the
 * program brings.
 *
 * <pre>{@code
 * Informer.of(client, "pods", decoder).meters(new MicrometerMeters(registry)).start();
 * }</pre>
 */
public final class MicrometerMeters implements MeterFactory {
  private static final String TOTAL = "_total";

  private final MeterRegistry registry;

  /** All that is registered here is shown there. */
  public MicrometerMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Runnable register(InformerMeter meter) {
    List<Tag> tags =
        meter.labels().entrySet().stream()
            .map(label -> Tag.of(label.getKey(), label.getValue()))
            .toList();
    io.micrometer.core.instrument.Meter shown =
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
    return () -> registry.remove(shown);
  }

  /** Its back ends add what their users expect, such as {@code _total}. */
  private static String name(InformerMeter meter) {
    String name = meter.name();
    return (name.endsWith(TOTAL) ? name.substring(0, name.length() - TOTAL.length()) : name)
        .replace('_', '.');
  }
}
