package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.fanout.StreamIdentity;
import java.util.Locale;

/** Metrics of reviews of callers that are updated as events happen. Thread-safe. */
public final class AuthCounters implements AuthMetrics {
  private final Counter tokens;
  private final Counter access;
  private final Counter rechecks;

  /** Registers the counters. */
  public AuthCounters(PrometheusRegistry registry) {
    MetricFactory metrics = new MetricFactory(registry);
    tokens =
        metrics.counter(
            "watchgate_token_reviews",
            "Token reviews, by answer; none: the apiserver did not answer or may not be asked, or"
                + " too many reviews waited",
            MetricLabels.ANSWER);
    access =
        metrics.counter(
            "watchgate_access_reviews",
            "Access reviews, by answer; none: as for token reviews",
            MetricLabels.ANSWER);
    rechecks =
        metrics.counter(
            "watchgate_grant_rechecks",
            "Permission re-checks of open streams, by answer; no: the streams were ended",
            MetricLabels.ANSWER);
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
  public void rechecked(Answer answer, String user) {
    rechecks.labelValues(label(answer)).inc();
    RecheckEvent event = new RecheckEvent();
    if (event.isEnabled()) {
      event.user = StreamIdentity.shortened(user);
      event.outcome = label(answer);
      event.commit();
    }
  }
}
