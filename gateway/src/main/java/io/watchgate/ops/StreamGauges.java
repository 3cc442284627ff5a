package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;

/** How many streams there are, and how many there may be. */
public final class StreamGauges {
  private StreamGauges() {}

  /**
   * Registers them; they are looked up when metrics are asked for.
   *
   * @param limit of all streams
   * @param clientLimit of the streams of one client
   * @param streams that count towards the limit now
   * @param mostOfOneClient of them
   */
  public static void register(
      PrometheusRegistry registry,
      IntSupplier limit,
      IntSupplier clientLimit,
      IntSupplier streams,
      IntSupplier mostOfOneClient) {
    gauge(registry, "watchgate_streams_limit", "How many streams there may be", limit);
    gauge(
        registry,
        "watchgate_client_streams_limit",
        "How many streams one client may have",
        clientLimit);
    gauge(
        registry,
        "watchgate_streams_counted",
        "Streams of all types that are open, being opened or ending; bounded by"
            + " watchgate_streams_limit",
        streams);
    gauge(
        registry,
        "watchgate_client_streams_most",
        "The same of the client that has most; bounded by watchgate_client_streams_limit",
        mostOfOneClient);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, IntSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(gauge -> gauge.call(value.getAsInt()))
        .register(registry);
  }
}
