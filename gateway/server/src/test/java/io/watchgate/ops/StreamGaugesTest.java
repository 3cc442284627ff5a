package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.proto.v1.ErrorReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class StreamGaugesTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();

  private String scraped() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void gauges_includeTheirLimits() throws IOException {
    AtomicInteger streams = new AtomicInteger(7);
    StreamGauges.register(registry, () -> 100, () -> 20, streams::get, () -> 3);
    streams.set(8);

    assertThat(scraped())
        .contains(
            "watchgate_streams_limit 100.0",
            "watchgate_client_streams_limit 20.0",
            "watchgate_stream_slots 8.0",
            "watchgate_client_streams_max 3.0");
  }

  @Test
  void responses_areCountedByWay() throws IOException {
    StreamGauges.registerLane(registry, () -> 3, () -> 40, () -> 500, () -> 2);

    assertThat(scraped())
        .contains(
            "watchgate_lane_responses_total{way=\"lane\"} 3.0",
            "watchgate_lane_responses_total{way=\"group\"} 40.0",
            "watchgate_lane_responses_total{way=\"grpc\"} 500.0",
            "watchgate_connections_without_lane_total 2.0");
  }

  @Test
  void refusals_areCountedByReason() throws IOException {
    FanoutCounters metrics = new FanoutCounters(registry);
    metrics.streamRefused(ErrorReason.ERROR_REASON_QUOTA);
    metrics.streamRefused(ErrorReason.ERROR_REASON_QUOTA);
    metrics.streamRefused(ErrorReason.ERROR_REASON_UNSPECIFIED);
    metrics.listRefused(ErrorReason.ERROR_REASON_ACCESS_DENIED);

    assertThat(scraped())
        .contains(
            "watchgate_streams_refused_total{reason=\"quota\"} 2.0",
            "watchgate_streams_refused_total{reason=\"internal\"} 1.0",
            "watchgate_list_objects_refused_total{reason=\"access_denied\"} 1.0");
  }
}
