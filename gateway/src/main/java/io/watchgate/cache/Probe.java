package io.watchgate.cache;

/**
 * Asks the apiserver how far a type has come: a consistent list of one object. What it answers
 * counts for {@link Freshness}. Used by the reflector between its watches, and beside them by the
 * {@link Prober} and the {@link Inquiries}, each on its own thread.
 */
final class Probe {
  private final Upstream upstream;
  private final WatchCache cache;
  private final CacheMetrics metrics;

  Probe(Upstream upstream, WatchCache cache, CacheMetrics metrics) {
    this.upstream = upstream;
    this.cache = cache;
    this.metrics = metrics;
  }

  /** What came of it. */
  sealed interface Outcome {}

  /** It is where the state is, or further. */
  record Answered(ResourceVersion version) implements Outcome {}

  /**
   * It is behind what it had come to before. The cluster was restored, or this apiserver lags
   * behind another one of the same name: it says nothing of the state that is held.
   */
  record Behind(ResourceVersion version, ResourceVersion held) implements Outcome {}

  record Failed(UpstreamFailure failure) implements Outcome {}

  /**
   * Does it.
   *
   * @param head as it is now: only from there on can an answer be behind
   * @throws WatchApplier.Unordered if the version is no number
   */
  Outcome ask(Revision head) {
    Moment asked = cache.now();
    return switch (upstream.probe()) {
      case Upstream.Listed listed -> {
        ResourceVersion version = WatchApplier.ordered(listed.resourceVersion());
        if (head.version().isAfter(version)) {
          metrics.probed("behind");
          yield new Behind(version, head.version());
        }
        metrics.probed("answered");
        cache.answered(version, asked);
        yield new Answered(version);
      }
      case Upstream.ListFailed(UpstreamFailure failure) -> {
        metrics.probed("failed");
        yield new Failed(failure);
      }
    };
  }
}
