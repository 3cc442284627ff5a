package io.watchgate.fanout;

import io.watchgate.cache.Freshness;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.UpstreamErrors;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limit of the staleness of a started stream, its {@code max_staleness}. Shortly before the limit a
 * proof of freshness is asked for, each second until one succeeds; above it the stream ends. Used
 * on the event loop.
 */
final class StalenessLimit {
  private final SubscribedStream stream;
  private final WatchCache cache;
  private final TimeSource time;
  private final long limitNanos;

  /** Time until which a stream that was opened with an older state may be proven. */
  private final long graceUntil;

  private boolean proofRunning;
  private Freshness lastProof = Freshness.Unproven.NO_ANSWER;

  private StalenessLimit(
      SubscribedStream stream, WatchCache cache, TimeSource time, Duration limit) {
    this.stream = stream;
    this.cache = cache;
    this.time = time;
    this.limitNanos = limit.toNanos();
    this.graceUntil = time.nanoTime() + FanoutSettings.PROOF_LEAD.toNanos();
  }

  /**
   * Starts the checks of a stream.
   *
   * @param maxStaleness null for no limit
   */
  static void start(
      SubscribedStream stream, WatchCache cache, TimeSource time, @Nullable Duration maxStaleness) {
    if (maxStaleness != null) {
      Duration least = DeliveryDefaults.DEFAULTS.minStreamStaleness();
      new StalenessLimit(
              stream, cache, time, maxStaleness.compareTo(least) < 0 ? least : maxStaleness)
          .check();
    }
  }

  private void check() {
    long left = limitNanos - cache.proofs().stalenessNanos();
    long lead = FanoutSettings.PROOF_LEAD.toNanos();
    if (left > lead) {
      stream.after(Duration.ofNanos(left - lead), this::check);
      return;
    }
    long rest = Math.max(left, graceUntil - time.nanoTime());
    if (rest < 0) {
      String reason = lastProof instanceof Freshness.Unproven failed ? failed.reason() : "";
      stream.terminate(UpstreamErrors.tooStale(cache.definition().type().groupResource(), reason));
      return;
    }
    if (!proofRunning) {
      proofRunning = true;
      var _ = cache.proveFresh().thenAccept(found -> stream.execute(() -> onAnswer(found)));
    }
    long wait = Math.min(FanoutSettings.PROOF_INTERVAL.toNanos(), rest);
    stream.after(Duration.ofNanos(wait).plusMillis(1), this::check);
  }

  private void onAnswer(Freshness found) {
    lastProof = found;
    proofRunning = false;
  }
}
