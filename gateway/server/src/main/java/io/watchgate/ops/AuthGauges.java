package io.watchgate.ops;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AccessController;
import java.util.function.LongSupplier;

/** Gauges of reviews of callers, of the quotas of users, and of the audit log. */
public final class AuthGauges {
  private AuthGauges() {}

  /** Registers the gauges; they are read when metrics are scraped. */
  public static void register(
      PrometheusRegistry registry,
      AccessController access,
      LongSupplier auditLost,
      LongSupplier auditSummed) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_grants",
        "Grants of open streams: pairs of a caller and a selection; each is re-checked",
        access::grantCount);
    metrics.readGauge(
        "watchgate_unwatched_role_types",
        "Types of roles and bindings, of four, that cannot be watched now; above 0, a revoked"
            + " right ends streams only at their next re-check",
        access::unwatchedRoleTypes);
    metrics.readGauge(
        "watchgate_user_streams_max",
        "Streams of the user with the most; bounded by watchgate_user_streams_limit",
        access::maxStreamsOfOneUser);
    metrics.readGauge(
        "watchgate_user_streams_limit",
        "Maximum number of streams of one user",
        () -> access.settings().quotas().maxStreams());
    metrics.readGauge(
        "watchgate_user_selections_max",
        "Different selections of the user with the most; bounded by"
            + " watchgate_user_selections_limit",
        access::maxSelectionsOfOneUser);
    metrics.readGauge(
        "watchgate_user_selections_limit",
        "Maximum number of different selections that one user may watch",
        () -> access.settings().quotas().maxSelections());
    metrics.readGauge(
        "watchgate_cached_reviews",
        "Cached answers of token reviews and of access reviews; at most 20,000 of each",
        access::cachedAnswers);
    metrics.readCounter(
        "watchgate_audit_lines_lost",
        "Audit lines that were not written because the audit log is too slow, or"
            + " its file cannot be written",
        auditLost::getAsLong);
    metrics.readCounter(
        "watchgate_audit_events_summarized",
        "Events that the audit log counts in a summary line, without a line of their own",
        auditSummed::getAsLong);
  }
}
