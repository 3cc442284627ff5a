package io.watchgate.cache;

import java.util.concurrent.CountDownLatch;

/**
 * Probe of the apiserver's current version of a type: a consistent list of one object. The answer
 * is recorded in {@link StateProofs}. Used by the reflector between its watches, and beside them by
 * the {@link PeriodicProbe} and the {@link UpstreamLookups}, each on its own thread.
 */
final class VersionProbe {
  private final Upstream upstream;
  private final WatchCache cache;
  private final CacheMetrics metrics;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;

  /**
   * @param stopped latch that ends every wait
   */
  VersionProbe(
      Upstream upstream,
      WatchCache cache,
      CacheMetrics metrics,
      ReflectorClock.Sleeper sleeper,
      CountDownLatch stopped) {
    this.upstream = upstream;
    this.cache = cache;
    this.metrics = metrics;
    this.sleeper = sleeper;
    this.stopped = stopped;
  }

  /** Result of a probe. */
  sealed interface Outcome {}

  /** Outcome for an apiserver with the version of the state, or a later one. */
  record Answered(ResourceVersion version) implements Outcome {}

  /**
   * Outcome for an apiserver that is behind the cached version, by two answers a second apart over
   * two connections. The cluster was restored, or this apiserver lags behind another one of the
   * same name for longer than that.
   */
  record Behind(ResourceVersion version, ResourceVersion held) implements Outcome {}

  record Failed(UpstreamFailure failure) implements Outcome {}

  /**
   * Sends the list and records the version; an answer that is behind is confirmed by a second one.
   *
   * @param head present head: only an answer to a later request can be behind it
   */
  Outcome probe(Revision head) throws InterruptedException {
    Outcome first = probeOnce(head);
    if (!(first instanceof Behind)) {
      return first;
    }
    reconnectAndWait();
    return stopped.getCount() == 0
        ? new Failed(new UpstreamFailure.Transport("closed by the gateway"))
        : probeOnce(head);
  }

  /** Makes the next request use another connection, a second later. */
  void reconnectAndWait() throws InterruptedException {
    upstream.reconnect();
    sleeper.await(stopped, HistoryProofSettings.CONFIRMATION_DELAY);
  }

  private Outcome probeOnce(Revision head) {
    TimeSource.Reading requestedAt = cache.now();
    return switch (upstream.probe()) {
      case Upstream.Listed listed -> {
        ResourceVersion version = ResourceVersion.parse(listed.resourceVersion());
        if (version == null) { // one odd answer must not end a type that is served
          metrics.probed("failed");
          yield new Failed(
              new UpstreamFailure.Malformed("an answer without a version that is a number"));
        }
        if (head.version().isAfter(version)) {
          metrics.probed("behind");
          yield new Behind(version, head.version());
        }
        metrics.probed("answered");
        cache.proofs().recordAnswer(version, requestedAt);
        yield new Answered(version);
      }
      case Upstream.ListFailed(UpstreamFailure failure) -> {
        metrics.probed("failed");
        yield new Failed(failure);
      }
    };
  }
}
