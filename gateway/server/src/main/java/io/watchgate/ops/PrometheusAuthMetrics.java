package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthMetrics;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Prometheus metrics of reviews of callers, and of the quotas of users. Thread-safe. */
public final class PrometheusAuthMetrics implements AuthMetrics {
  private final Counter tokens;
  private final Counter access;
  private final Counter rechecks;

  /** Registers the counters. */
  public PrometheusAuthMetrics(PrometheusRegistry registry) {
    tokens =
        counter(
            registry,
            "watchgate_token_reviews",
            "Token reviews sent to the apiserver, by answer; none: the apiserver did not answer");
    access = counter(registry, "watchgate_access_reviews", "Access reviews sent to the apiserver");
    rechecks =
        counter(
            registry,
            "watchgate_grant_rechecks",
            "Permission re-checks of open streams, by answer; no: the streams were ended");
  }

  private static Counter counter(PrometheusRegistry registry, String name, String help) {
    return PrometheusMetrics.counter(registry, name, help, "answer");
  }

  /** Registers the gauges; they are read when metrics are scraped. */
  public static void register(
      PrometheusRegistry registry,
      AccessController gatekeeper,
      LongSupplier auditLost,
      LongSupplier auditSummed) {
    gauge(
        registry,
        "watchgate_grants",
        "Grants of open streams: pairs of a caller and a selection; each is re-checked",
        gatekeeper::grantCount);
    gauge(
        registry,
        "watchgate_unwatched_role_types",
        "Types of roles and bindings, of four, that cannot be watched now; above 0, a revoked"
            + " right ends streams only at their next re-check",
        gatekeeper::unwatchedRoleTypes);
    gauge(
        registry,
        "watchgate_user_streams_max",
        "Streams of the user with the most; bounded by watchgate_user_streams_limit",
        gatekeeper::maxStreamsOfOneUser);
    gauge(
        registry,
        "watchgate_user_streams_limit",
        "Maximum number of streams of one user",
        () -> gatekeeper.settings().quotas().maxStreams());
    gauge(
        registry,
        "watchgate_user_selections_max",
        "Different selections of the user with the most; bounded by"
            + " watchgate_user_selections_limit",
        gatekeeper::maxSelectionsOfOneUser);
    gauge(
        registry,
        "watchgate_user_selections_limit",
        "Maximum number of different selections that one user may watch",
        () -> gatekeeper.settings().quotas().maxSelections());
    GaugeWithCallback.builder()
        .name("watchgate_cached_reviews")
        .help("Cached answers of token reviews and of access reviews; at most 20,000 of each")
        .callback(gauge -> gauge.call((double) gatekeeper.cachedAnswers()))
        .register(registry);
    CounterWithCallback.builder()
        .name("watchgate_audit_lines_lost")
        .help("Audit lines that were not written because the audit log is too slow")
        .callback(counter -> counter.call((double) auditLost.getAsLong()))
        .register(registry);
    CounterWithCallback.builder()
        .name("watchgate_audit_events_summarized")
        .help("Events that the audit log counts in a summary line, without a line of their own")
        .callback(counter -> counter.call((double) auditSummed.getAsLong()))
        .register(registry);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, IntSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(gauge -> gauge.call(value.getAsInt()))
        .register(registry);
  }

  private static String label(Answer answer) {
    return answer.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void tokenReviewed(Answer answer) {
    tokens.labelValues(label(answer)).inc();
  }

  @Override
  public void accessReviewed(Answer answer) {
    access.labelValues(label(answer)).inc();
  }

  @Override
  public void rechecked(Answer answer) {
    rechecks.labelValues(label(answer)).inc();
  }
}
