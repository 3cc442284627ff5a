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
            "Token reviews at the apiserver, by answer; none: it did not answer");
    access =
        counter(
            registry,
            "watchgate_access_reviews",
            "Times that the apiserver was asked whether a caller may do something");
    rechecks =
        counter(
            registry,
            "watchgate_rechecks",
            "Permission re-checks of open streams, by answer; no: they ended");
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
        "Callers and selections that have streams; each is re-checked",
        gatekeeper::grantCount);
    gauge(
        registry,
        "watchgate_role_types_unseen",
        "Types of roles and bindings, of four, that cannot be watched now; above 0, a right that is"
            + " taken away ends streams only at their next re-check",
        gatekeeper::unwatchedRoleTypes);
    gauge(
        registry,
        "watchgate_user_streams_most",
        "Streams of the user with the most; bounded by watchgate_user_streams_limit",
        gatekeeper::maxStreamsOfOneUser);
    gauge(
        registry,
        "watchgate_user_streams_limit",
        "How many streams one user may have",
        () -> gatekeeper.settings().quotas().maxStreams());
    gauge(
        registry,
        "watchgate_user_selections_most",
        "Different selections of the user with the most; bounded by"
            + " watchgate_user_selections_limit",
        gatekeeper::maxSelectionsOfOneUser);
    gauge(
        registry,
        "watchgate_user_selections_limit",
        "How many different selections one user may watch",
        () -> gatekeeper.settings().quotas().maxSelections());
    GaugeWithCallback.builder()
        .name("watchgate_remembered_answers")
        .help(
            "Answers about tokens and rights that are believed for a while; 20,000 of each at most")
        .callback(gauge -> gauge.call((double) gatekeeper.cachedAnswers()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("watchgate_audit_lines_lost")
        .help("Lines that were not written since the audit log is too slow")
        .callback(gauge -> gauge.call((double) auditLost.getAsLong()))
        .register(registry);
    CounterWithCallback.builder()
        .name("watchgate_audit_events_summed_up")
        .help("Events that have no line of their own in the audit log, but count in a summary")
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
