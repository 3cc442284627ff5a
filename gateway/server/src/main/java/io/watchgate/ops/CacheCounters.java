package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.ListReason;
import io.watchgate.ops.pages.UpstreamEvents;
import java.util.Locale;

/**
 * Metrics of caches and their list-watches that are updated as events happen, and the events of the
 * flight recorder that belong to them. Thread-safe.
 */
public final class CacheCounters {
  private final Counter eventsReceived;
  private final Counter duplicates;
  private final Counter skipped;
  private final Counter trimmed;
  private final Counter routerWaits;
  private final Counter heapWaits;
  private final Counter probes;
  private final Counter backfills;
  private final Counter backfillRequests;
  private final Counter selfChecks;
  private final Counter freshnessProofs;
  private final Counter freshnessProofTime;
  private final Counter historyChecks;
  private final Counter lists;
  private final Counter listOrWatchEnds;
  private final UpstreamEvents events;

  /**
   * Registers the metrics.
   *
   * @param events also takes what is rare enough to be listed
   */
  public CacheCounters(PrometheusRegistry registry, UpstreamEvents events) {
    this.events = events;
    MetricFactory metrics = new MetricFactory(registry);
    eventsReceived =
        metrics.counter(
            "watchgate_events_received", "Changes from the apiserver", MetricLabels.TYPE);
    duplicates =
        metrics.counter(
            "watchgate_duplicate_events",
            "Changes from the apiserver that were already in the cache",
            MetricLabels.TYPE);
    skipped =
        metrics.counter(
            "watchgate_skipped_objects",
            "Objects and events from the apiserver that could not be read; each alone is left out,"
                + " and deleted if it was served before; the log names them",
            MetricLabels.TYPE);
    trimmed =
        metrics.counter(
            "watchgate_history_trimmed_revisions",
            "Revisions trimmed from history",
            MetricLabels.TYPE);
    routerWaits =
        metrics.counter(
            "watchgate_router_wait_seconds",
            "Time in which nothing was read from the apiserver because the router had not"
                + " distributed earlier changes",
            MetricLabels.TYPE);
    heapWaits =
        metrics.counter(
            "watchgate_heap_wait_seconds",
            "Time in which nothing was read from the apiserver because the heap budget was used up"
                + " and streams still held trimmed revisions",
            MetricLabels.TYPE);
    probes =
        metrics.counter(
            "watchgate_probes",
            "Requests for the current version of the apiserver, by outcome: answered; behind (the"
                + " apiserver is at an earlier version than the cache); failed (no answer)",
            MetricLabels.TYPE,
            MetricLabels.OUTCOME);
    freshnessProofs =
        metrics.counter(
            "watchgate_freshness_proofs",
            "Proofs that a state is the apiserver's present one, asked for by streams and lists,"
                + " by way (list, version, watch) and outcome (proven, unproven)",
            MetricLabels.TYPE,
            MetricLabels.WAY,
            MetricLabels.OUTCOME);
    freshnessProofTime =
        metrics.counter(
            "watchgate_freshness_proof_seconds",
            "Time that proofs of freshness took; divided by their number, the mean",
            MetricLabels.TYPE);
    backfills =
        metrics.counter(
            "watchgate_backfills",
            "Backfills: fetches of revisions before the oldest in history, by outcome (the page on"
                + " states explains each)",
            MetricLabels.TYPE,
            MetricLabels.OUTCOME);
    backfillRequests =
        metrics.counter(
            "watchgate_backfill_requests",
            "Streams that asked for older history, by outcome. reached: it was fetched. With"
                + " not_available, given_up (after attempts at other versions) and too_many"
                + " (requests that waited) the stream gets a snapshot",
            MetricLabels.TYPE,
            MetricLabels.OUTCOME);
    selfChecks =
        metrics.counter(
            "watchgate_self_checks",
            "Periodic comparisons of the state with the apiserver's, by outcome: equal; different"
                + " (the type is listed again); expired and failed (not compared)",
            MetricLabels.TYPE,
            MetricLabels.OUTCOME);
    historyChecks =
        metrics.counter(
            "watchgate_history_checks",
            "Comparisons of the state with the apiserver's after a lost connection, by outcome:"
                + " same; lost (HISTORY_LOST); unprovable (listed again); failed (tried again)",
            MetricLabels.TYPE,
            MetricLabels.OUTCOME);
    lists =
        metrics.counter(
            "watchgate_lists",
            "Lists of the apiserver that completed, by reason",
            MetricLabels.TYPE,
            MetricLabels.REASON);
    listOrWatchEnds =
        metrics.counter(
            "watchgate_watch_ends",
            "Watches and lists that ended or failed, by reason",
            MetricLabels.TYPE,
            MetricLabels.REASON);
  }

  /** Returns the metrics of the cache of one type. */
  public CacheMetrics ofType(ApiResource type) {
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
        if (!outcome.equals("answered")) {
          events.add(label, UpstreamEvents.Kind.VERSION_PROBE, outcome);
        }
      }

      @Override
      public void freshnessProved(String way, String outcome, long nanos) {
        freshnessProofs.labelValues(label, way, outcome).inc();
        freshnessProofTime.labelValues(label).inc(nanos / 1e9);
      }

      @Override
      public StartedBackfill backfillStarted() {
        BackfillEvent event = new BackfillEvent();
        event.begin();
        return outcome -> {
          event.type = label;
          event.outcome = outcome;
          event.commit();
          backfills.labelValues(label, outcome).inc();
          events.add(label, UpstreamEvents.Kind.BACKFILL, outcome);
        };
      }

      @Override
      public void backfillsAnswered(String outcome, int requests) {
        backfillRequests.labelValues(label, outcome).inc(requests);
      }

      @Override
      public void selfChecked(String outcome) {
        selfChecks.labelValues(label, outcome).inc();
        events.add(label, UpstreamEvents.Kind.SELF_CHECK, outcome);
      }

      @Override
      public void historyChecked(String outcome) {
        historyChecks.labelValues(label, outcome).inc();
        events.add(label, UpstreamEvents.Kind.HISTORY_CHECK, outcome);
      }

      @Override
      public StartedList listStarted(ListReason reason) {
        ListEvent event = new ListEvent();
        event.begin();
        return objects -> {
          event.type = label;
          event.reason = reason.label();
          event.objects = objects;
          event.commit();
          lists.labelValues(label, reason.label()).inc();
          events.add(label, UpstreamEvents.Kind.LIST, reason.label());
        };
      }

      @Override
      public void listOrWatchEnded(String reason) {
        String kind = reason.toLowerCase(Locale.ROOT);
        listOrWatchEnds.labelValues(label, kind).inc();
        events.add(label, UpstreamEvents.Kind.WATCH_OR_LIST_ENDED, kind);
      }
    };
  }
}
