package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counter of pauses in which the process did not run: it was stopped, its machine slept or was
 * migrated, or garbage was collected. Pauses explain symptoms that look like a slow network.
 *
 * <p>It reads both clocks twice a second, since the monotonic clock stops while a machine sleeps.
 * So a jump of the wall clock counts as a pause, too. A pause is counted when it is over. Used by
 * the timer's thread only.
 */
public final class PauseMonitor {
  /** Shorter pauses are not counted. */
  static final Duration SHORTEST = Duration.ofSeconds(2);

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  private final TimeSource time;
  private final Counter pauses;
  private long lastNanos;
  private long lastWallMillis;

  PauseMonitor(PrometheusRegistry registry, TimeSource time) {
    this.time = time;
    this.pauses =
        new MetricFactory(registry)
            .counter(
                "watchgate_process_pauses",
                "Pauses of two seconds or longer in which the process did not run");
    this.lastNanos = time.nanoTime();
    this.lastWallMillis = time.wall().millis();
  }

  /** Starts counting, until the timer is shut down. */
  public static void start(
      PrometheusRegistry registry, TimeSource time, ScheduledExecutorService timer) {
    PauseMonitor counter = new PauseMonitor(registry, time);
    var _ =
        timer.scheduleWithFixedDelay(
            counter::check,
            CHECK_INTERVAL.toNanos(),
            CHECK_INTERVAL.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  void check() {
    long nanos = time.nanoTime();
    long wallMillis = time.wall().millis();
    if (nanos - lastNanos >= SHORTEST.toNanos()
        || Math.abs(wallMillis - lastWallMillis) >= SHORTEST.toMillis()) {
      pauses.inc();
    }
    lastNanos = nanos;
    lastWallMillis = wallMillis;
  }

  double count() {
    return pauses.get();
  }
}
