package io.watchgate.ops.pages;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ring of the rates of the last minutes, a sample for each second: changes received, events sent,
 * and the lag of deliveries. A sample is the difference of metrics of the gateway within that
 * second, so no Prometheus is needed. Thread-safe.
 */
public final class RateHistory {
  /** Samples that are kept: five minutes. */
  static final int MAX_SAMPLES = 300;

  private static final String RECEIVED = "watchgate_events_received";
  private static final String SENT = "watchgate_events_sent";
  private static final String LAG = "watchgate_delivery_lag_seconds";
  private static final Set<String> NAMES = Set.of(RECEIVED, SENT, LAG);

  private static final Logger log = LoggerFactory.getLogger(RateHistory.class);

  private final PrometheusRegistry registry;
  private final InstantSource clock;
  private final Deque<Sample> samples = new ArrayDeque<>();
  private Totals last;

  /**
   * Rates of one second, or of the longer time after a pause of the process.
   *
   * @param lagSeconds 99th percentile of the lag of the responses of that time; 0 if there was none
   */
  record Sample(Instant time, double received, double sent, double lagSeconds) {}

  private record Totals(Instant time, double received, double sent, Buckets lag) {}

  /** Responses by the upper bound of their lag, of all types. */
  private record Buckets(List<Double> bounds, List<Long> counts) {
    static Buckets of(HistogramSnapshot histogram) {
      List<Double> bounds = new ArrayList<>();
      List<Long> counts = new ArrayList<>();
      for (HistogramSnapshot.HistogramDataPointSnapshot type : histogram.getDataPoints()) {
        ClassicHistogramBuckets buckets = type.getClassicBuckets();
        for (int i = 0; i < buckets.size(); i++) {
          if (i == bounds.size()) {
            bounds.add(buckets.getUpperBound(i));
            counts.add(0L);
          }
          counts.set(i, counts.get(i) + buckets.getCount(i));
        }
      }
      return new Buckets(bounds, counts);
    }

    /** Returns a quantile of the responses since earlier, interpolated as Prometheus does. */
    double quantile(double quantile, Buckets earlier) {
      long[] added = new long[counts.size()];
      long total = 0;
      for (int i = 0; i < added.length; i++) {
        added[i] = counts.get(i) - (i < earlier.counts.size() ? earlier.counts.get(i) : 0);
        total += added[i];
      }
      double rank = quantile * total;
      double below = 0;
      for (int i = 0; i < added.length && total > 0; i++) {
        if (below + added[i] >= rank && added[i] > 0) {
          double least = i == 0 ? 0 : bounds.get(i - 1);
          // The last bucket has no end.
          double most = bounds.get(i).isInfinite() ? least : bounds.get(i);
          return least + (most - least) * (rank - below) / added[i];
        }
        below += added[i];
      }
      return 0;
    }
  }

  public RateHistory(PrometheusRegistry registry, InstantSource clock) {
    this.registry = registry;
    this.clock = clock;
    this.last = totals();
  }

  /** Starts the sampling, until the timer is shut down. */
  public void start(ScheduledExecutorService timer) {
    var _ = timer.scheduleWithFixedDelay(this::trySample, 1, 1, TimeUnit.SECONDS);
  }

  /** Catches exceptions, because a periodic task that throws would not run again. */
  private void trySample() {
    try {
      sample();
    } catch (RuntimeException e) {
      log.error("the rates of this second could not be read; trying again in 1 s", e);
    }
  }

  synchronized void sample() {
    Totals now = totals();
    double seconds = (now.time().toEpochMilli() - last.time().toEpochMilli()) / 1e3;
    if (seconds <= 0) {
      // The clock was set back.
      last = now;
      return;
    }
    samples.addLast(
        new Sample(
            now.time(),
            (now.received() - last.received()) / seconds,
            (now.sent() - last.sent()) / seconds,
            now.lag().quantile(0.99, last.lag())));
    if (samples.size() > MAX_SAMPLES) {
      samples.removeFirst();
    }
    last = now;
  }

  /** Returns the samples, the oldest first. */
  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }

  private Totals totals() {
    double received = 0;
    double sent = 0;
    Buckets lag = new Buckets(List.of(), List.of());
    for (MetricSnapshot metric : registry.scrape(NAMES::contains)) {
      if (metric instanceof HistogramSnapshot histogram) {
        lag = Buckets.of(histogram);
      } else if (metric instanceof CounterSnapshot counter) {
        double total =
            counter.getDataPoints().stream()
                .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
                .sum();
        if (metric.getMetadata().getName().equals(SENT)) {
          sent = total;
        } else {
          received = total;
        }
      }
    }
    return new Totals(clock.instant(), received, sent, lag);
  }
}
