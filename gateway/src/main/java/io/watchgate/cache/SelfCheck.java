package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.ObjectView;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the state now and then with what the apiserver has at the very same version, by digest:
 * a list of everything's metadata. An apiserver can lose an event of its watch cache, and nothing
 * else would tell. Where the two differ the reflector lists anew, and subscribers see the
 * difference as a gap. Runs on a thread of its own.
 *
 * <p>Each has a period of its own, up to a quarter longer or shorter than asked for, so that types
 * and replicas do not list in step.
 */
final class SelfCheck {
  private static final Logger log = LoggerFactory.getLogger(SelfCheck.class);

  private final Upstream upstream;
  private final WatchCache cache;
  private final Demands demands;
  private final CacheMetrics metrics;
  private final Waiting waiting;
  private final CountDownLatch stopped;
  private final Duration period;

  /**
   * Draws its period.
   *
   * @param every how often to compare, about; zero: never
   * @param stopped ends it
   */
  SelfCheck(
      Upstream upstream,
      WatchCache cache,
      Demands demands,
      CacheMetrics metrics,
      Duration every,
      Pace pace,
      CountDownLatch stopped) {
    this.upstream = upstream;
    this.cache = cache;
    this.demands = demands;
    this.metrics = metrics;
    this.waiting = pace.waiting();
    this.stopped = stopped;
    this.period = pace.around(every);
  }

  /** Returns once it is stopped. */
  void run() {
    try {
      while (stopped.getCount() > 0 && !period.isZero()) {
        waiting.await(stopped, period);
        Revision head = cache.head();
        if (head != null
            && stopped.getCount() > 0
            && cache.upstream().phase() == UpstreamState.Phase.WATCHING) {
          compare(head);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void compare(Revision held) {
    Sum sum = new Sum();
    String outcome;
    try {
      outcome =
          switch (upstream.listAt(held.version().digits(), Upstream.Content.METADATA, sum)) {
            case Upstream.ListFailed(UpstreamFailure.Expired _) -> "expired";
            case Upstream.ListFailed(UpstreamFailure failure) -> {
              log.debug("{}: not compared: {}", type(), failure.message());
              yield "failed";
            }
            case Upstream.Listed(String version) when !version.equals(held.version().digits()) ->
                "failed"; // an apiserver that does not know Exact
            case Upstream.Listed _ -> sum.digest.equals(held.digest()) ? "equal" : "different";
          };
    } catch (ListCollector.Unreadable e) {
      log.debug("{}: not compared: {}", type(), e.getMessage());
      outcome = "failed";
    } catch (RuntimeException e) {
      if (stopped.getCount() > 0) {
        log.error("{}: a comparison with the apiserver failed", type(), e);
      }
      outcome = "failed";
    }
    metrics.selfChecked(outcome);
    if (outcome.equals("different")) {
      log.warn(
          "{}: what is held at version {} ({} objects) is not what the apiserver has there ({}):"
              + " listing anew",
          type(),
          held.version(),
          held.state().size(),
          sum.count);
      demands.relist("self_check", held);
    }
  }

  /** Of what is listed. */
  private static final class Sum implements Upstream.ItemSink {
    private Digest digest = Digest.EMPTY;
    private long count;

    @Override
    public void item(byte[] object) {
      try {
        digest = digest.plus(ObjectView.read(object, FieldPaths.NONE));
        count++;
      } catch (JsonException e) {
        throw new ListCollector.Unreadable(
            "an object of a list could not be read: " + e.getMessage());
      }
    }
  }

  private ResourceType type() {
    return cache.definition().type();
  }
}
