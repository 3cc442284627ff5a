package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Metrics of streams that are updated as events happen, and the events of the flight recorder that
 * belong to them. A single delivery has no event. Thread-safe.
 */
public final class FanoutCounters implements FanoutMetrics {
  private final Gauge streams;
  private final Counter streamsRefused;
  private final Counter streamsEnded;
  private final Counter listsRefused;
  private final Counter pagesListed;
  private final Counter eventsSent;
  private final Counter bytesSent;
  private final Counter snapshots;
  private final Counter netEffects;
  private final Histogram lag;
  private final Gauge behindEvents;
  private final Gauge behindBytes;

  /** Registers the metrics. */
  public FanoutCounters(PrometheusRegistry registry) {
    MetricFactory metrics = new MetricFactory(registry);
    streams =
        metrics.gauge(
            "watchgate_streams",
            "Open streams: over gRPC, of browsers, and watches over the Kubernetes API that are"
                + " answered from the cache",
            MetricLabels.TYPE);
    streamsRefused =
        metrics.counter(
            "watchgate_streams_refused",
            "Streams that were refused before they began, by the reason that was sent; internal:"
                + " the gateway failed",
            MetricLabels.REASON);
    streamsEnded =
        metrics.counter(
            "watchgate_streams_ended",
            "Streams that ended, by the reason that was sent; client: the client cancelled;"
                + " connection: the connection was closed or broke; keepalive: no answer to pings;"
                + " unread: the client read nothing of what waits on its connection;"
                + " internal: the gateway failed",
            MetricLabels.TYPE,
            MetricLabels.REASON);
    listsRefused =
        metrics.counter(
            "watchgate_list_objects_refused",
            "Pages of lists over gRPC that were refused, by the reason that was sent. What a limit"
                + " of calls refuses is counted in watchgate_streams_refused_total",
            MetricLabels.REASON);
    pagesListed =
        metrics.counter(
            "watchgate_list_objects_pages", "Pages of lists over gRPC", MetricLabels.TYPE);
    eventsSent =
        metrics.counter(
            "watchgate_events_sent", "Events handed to the transport", MetricLabels.TYPE);
    bytesSent =
        metrics.counter(
            "watchgate_response_bytes",
            "Bytes of responses handed to the transport",
            MetricLabels.TYPE);
    snapshots =
        metrics.counter(
            "watchgate_snapshots",
            "Snapshots started, by reason",
            MetricLabels.TYPE,
            MetricLabels.REASON);
    netEffects =
        metrics.counter(
            "watchgate_net_effects",
            "Net effects announced, by reason; those of streams with lag policy CONFLATE are not",
            MetricLabels.TYPE,
            MetricLabels.REASON);
    lag =
        Histogram.builder()
            .name("watchgate_delivery_lag_seconds")
            .help(
                "Time from the receipt of a change to the hand-over of its response to the"
                    + " transport")
            .labelNames(MetricLabels.TYPE)
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30)
            .classicOnly()
            .withoutExemplars()
            .register(registry);
    behindEvents =
        metrics.gauge(
            "watchgate_stream_lag_events",
            "Lag, in events, of the slowest stream on each event loop",
            MetricLabels.TYPE,
            MetricLabels.EVENT_LOOP);
    behindBytes =
        metrics.gauge(
            "watchgate_stream_retained_bytes",
            "Bytes that only the slowest stream on each event loop keeps alive; bounded by history"
                + " and laggard bytes",
            MetricLabels.TYPE,
            MetricLabels.EVENT_LOOP);
  }

  @Override
  public void streamRefused(ErrorReason reason) {
    streamsRefused.labelValues(label(reason)).inc();
  }

  @Override
  public void listRefused(ErrorReason reason) {
    listsRefused.labelValues(label(reason)).inc();
  }

  @Override
  public void pageListed(ApiResource type) {
    pagesListed.labelValues(type.groupResource()).inc();
  }

  @Override
  public void streamOpened(ApiResource type, CountedStream stream) {
    streams.labelValues(type.groupResource()).inc();
    StreamOpenedEvent event = new StreamOpenedEvent();
    if (event.isEnabled()) {
      event.describe(type, stream.identity());
      event.commit();
    }
  }

  @Override
  public void streamEnded(ApiResource type, ErrorReason reason, CountedStream stream) {
    countEnd(type, label(reason), stream);
  }

  @Override
  public void streamLeft(ApiResource type, ClientEnd how, CountedStream stream) {
    countEnd(type, how.label(), stream);
  }

  private void countEnd(ApiResource type, String reason, CountedStream stream) {
    streams.labelValues(type.groupResource()).dec();
    streamsEnded.labelValues(type.groupResource(), reason).inc();
    StreamEndedEvent event = new StreamEndedEvent();
    if (event.isEnabled()) {
      StreamIdentity identity = stream.identity();
      event.describe(type, identity);
      event.reason = reason;
      event.lasted = Duration.between(identity.opened(), Instant.now()).toNanos();
      event.events = stream.sentEvents();
      event.bytes = stream.sentBytes();
      event.commit();
    }
  }

  private static String label(ErrorReason reason) {
    return reason == ErrorReason.ERROR_REASON_UNSPECIFIED
        ? ClientEnd.INTERNAL
        : label(reason.name(), "ERROR_REASON_");
  }

  @Override
  public void sent(ApiResource type, int events, long bytes) {
    eventsSent.labelValues(type.groupResource()).inc(events);
    bytesSent.labelValues(type.groupResource()).inc(bytes);
  }

  @Override
  public StartedSnapshot snapshotStarted(
      ApiResource type, SnapshotReason reason, CountedStream stream) {
    String label = label(reason.name(), "SNAPSHOT_REASON_");
    snapshots.labelValues(type.groupResource(), label).inc();
    SnapshotEvent event = new SnapshotEvent();
    if (!event.isEnabled()) {
      return StartedSnapshot.NONE;
    }
    event.begin();
    return (objects, bytes) -> {
      event.end();
      if (event.shouldCommit()) {
        event.describe(type, stream.identity());
        event.reason = label;
        event.objects = objects;
        event.bytes = bytes;
        event.commit();
      }
    };
  }

  @Override
  public void netEffectStarted(ApiResource type, NetEffectReason reason) {
    netEffects.labelValues(type.groupResource(), label(reason.name(), "NET_EFFECT_REASON_")).inc();
  }

  @Override
  public void delivered(ApiResource type, long lagNanos) {
    lag.labelValues(type.groupResource()).observe(lagNanos / 1e9);
  }

  @Override
  public void recordLargestLag(ApiResource type, int eventLoop, long events, long bytes) {
    String number = Integer.toString(eventLoop);
    behindEvents.labelValues(type.groupResource(), number).set((double) events);
    behindBytes.labelValues(type.groupResource(), number).set((double) bytes);
  }

  private static String label(String name, String prefix) {
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }
}
