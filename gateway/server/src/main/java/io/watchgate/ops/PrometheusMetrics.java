package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;
import java.util.Locale;

/**
 * Prometheus counters that are updated as events happen. Values that can be read on a scrape are
 * gauges, such as {@link CacheGauges}. Thread-safe.
 */
public final class PrometheusMetrics implements FanoutMetrics {
  private final PrometheusRegistry registry;
  private final Gauge streams;
  private final Counter streamsRefused;
  private final Counter streamsEnded;
  private final Counter eventsSent;
  private final Counter bytesSent;
  private final Counter snapshots;
  private final Counter netEffects;
  private final Histogram lag;
  private final Gauge behindEvents;
  private final Gauge behindBytes;
  private final Counter eventsReceived;
  private final Counter duplicates;
  private final Counter skipped;
  private final Counter trimmed;
  private final Counter routerWaits;
  private final Counter heapWaits;
  private final Counter probes;
  private final Counter backfills;
  private final Counter selfChecks;
  private final Counter historyChecks;
  private final Counter lists;
  private final Counter watchEnds;

  public PrometheusMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    streams = gauge("watchgate_streams", "Open ListAndWatch streams", "type");
    streamsRefused =
        counter(
            "watchgate_streams_refused",
            "Streams that were refused before they began, by the reason that was sent; internal:"
                + " the gateway failed",
            "reason");
    streamsEnded =
        counter(
            "watchgate_streams_ended",
            "Streams that ended, by the reason that was sent; client: the client cancelled;"
                + " connection: the connection was closed or broke; keepalive: no answer to pings;"
                + " internal: the gateway failed",
            "type",
            "reason");
    eventsSent = counter("watchgate_events_sent", "Events handed to the transport", "type");
    bytesSent =
        counter("watchgate_response_bytes", "Bytes of responses handed to the transport", "type");
    snapshots = counter("watchgate_snapshots", "Snapshots started, by reason", "type", "reason");
    netEffects =
        counter("watchgate_net_effects", "Net effects started, by reason", "type", "reason");
    lag =
        Histogram.builder()
            .name("watchgate_delivery_lag_seconds")
            .help(
                "Time from the receipt of a change to the hand-over of its response to the"
                    + " transport")
            .labelNames("type")
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30)
            .classicOnly()
            .withoutExemplars()
            .register(registry);
    behindEvents =
        gauge(
            "watchgate_stream_lag_events",
            "Events by which the last stream of an event loop is behind",
            "type",
            "event_loop");
    behindBytes =
        gauge(
            "watchgate_stream_retained_bytes",
            "Bytes that the last stream of an event loop keeps alive; bounded by history and"
                + " laggard bytes",
            "type",
            "event_loop");
    eventsReceived = counter("watchgate_events_received", "Changes from the apiserver", "type");
    duplicates =
        counter(
            "watchgate_duplicate_events",
            "Changes from the apiserver that were already in the cache",
            "type");
    skipped =
        counter(
            "watchgate_skipped_objects",
            "Objects and events from the apiserver that could not be read; each alone is left out,"
                + " and deleted if it was served before; the log names them",
            "type");
    trimmed =
        counter("watchgate_history_trimmed_revisions", "Revisions trimmed from history", "type");
    routerWaits =
        counter(
            "watchgate_router_wait_seconds",
            "Time in which nothing was read from the apiserver because the router had not"
                + " distributed earlier changes",
            "type");
    heapWaits =
        counter(
            "watchgate_heap_wait_seconds",
            "Time in which nothing was read from the apiserver because the heap budget was used up"
                + " and streams still held trimmed revisions",
            "type");
    probes =
        counter(
            "watchgate_probes",
            "Requests for the current version of the apiserver, by outcome",
            "type",
            "outcome");
    backfills =
        counter(
            "watchgate_backfills",
            "Backfills: fetches of revisions before the oldest in history, by outcome",
            "type",
            "outcome");
    selfChecks =
        counter(
            "watchgate_self_checks",
            "Periodic comparisons of the state with the apiserver's, by outcome",
            "type",
            "outcome");
    historyChecks =
        counter(
            "watchgate_history_checks",
            "Comparisons of the state with the apiserver's after a lost connection, by outcome",
            "type",
            "outcome");
    lists =
        counter(
            "watchgate_lists",
            "Lists of the apiserver that completed, by reason",
            "type",
            "reason");
    watchEnds =
        counter(
            "watchgate_watch_ends",
            "Watches and lists that ended or failed, by reason",
            "type",
            "reason");
  }

  private Counter counter(String name, String help, String... labels) {
    return counter(registry, name, help, labels);
  }

  /** Registers a counter without exemplars. */
  static Counter counter(PrometheusRegistry registry, String name, String help, String... labels) {
    return Counter.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  private Gauge gauge(String name, String help, String... labels) {
    return Gauge.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  /** Returns the metrics of the cache of one type. */
  public CacheMetrics forCache(ApiResource type) {
    String label = type.groupResource();
    return new CacheMetrics() {
      @Override
      public void eventsReceived(int count) {
        eventsReceived.labelValues(label).inc(count);
      }

      @Override
      public void duplicateDropped() {
        duplicates.labelValues(label).inc();
      }

      @Override
      public void objectSkipped() {
        skipped.labelValues(label).inc();
      }

      @Override
      public void revisionsTrimmed(int count) {
        trimmed.labelValues(label).inc(count);
      }

      @Override
      public void waitedForRouter(long nanos) {
        routerWaits.labelValues(label).inc(nanos / 1e9);
      }

      @Override
      public void waitedForHeap(long nanos) {
        heapWaits.labelValues(label).inc(nanos / 1e9);
      }

      @Override
      public void probed(String outcome) {
        probes.labelValues(label, outcome).inc();
      }

      @Override
      public void backfilled(String outcome) {
        backfills.labelValues(label, outcome).inc();
      }

      @Override
      public void selfChecked(String outcome) {
        selfChecks.labelValues(label, outcome).inc();
      }

      @Override
      public void historyChecked(String outcome) {
        historyChecks.labelValues(label, outcome).inc();
      }

      @Override
      public void listed(String reason) {
        lists.labelValues(label, reason).inc();
      }

      @Override
      public void watchEnded(String reason) {
        watchEnds.labelValues(label, reason.toLowerCase(Locale.ROOT)).inc();
      }
    };
  }

  @Override
  public void streamRefused(ErrorReason reason) {
    streamsRefused.labelValues(label(reason)).inc();
  }

  @Override
  public void streamOpened(ApiResource type) {
    streams.labelValues(type.groupResource()).inc();
  }

  @Override
  public void streamEnded(ApiResource type, ErrorReason reason) {
    streams.labelValues(type.groupResource()).dec();
    streamsEnded.labelValues(type.groupResource(), label(reason)).inc();
  }

  @Override
  public void streamLeft(ApiResource type, ClientEnd how) {
    streams.labelValues(type.groupResource()).dec();
    streamsEnded.labelValues(type.groupResource(), how.label()).inc();
  }

  private static String label(ErrorReason reason) {
    return reason == ErrorReason.ERROR_REASON_UNSPECIFIED
        ? "internal"
        : label(reason.name(), "ERROR_REASON_");
  }

  @Override
  public void sent(ApiResource type, int events, long bytes) {
    eventsSent.labelValues(type.groupResource()).inc(events);
    bytesSent.labelValues(type.groupResource()).inc(bytes);
  }

  @Override
  public void snapshotStarted(ApiResource type, SnapshotReason reason) {
    snapshots.labelValues(type.groupResource(), label(reason.name(), "SNAPSHOT_REASON_")).inc();
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
  public void behind(ApiResource type, int owner, long events, long bytes) {
    String number = Integer.toString(owner);
    behindEvents.labelValues(type.groupResource(), number).set((double) events);
    behindBytes.labelValues(type.groupResource(), number).set((double) bytes);
  }

  private static String label(String name, String prefix) {
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }
}
