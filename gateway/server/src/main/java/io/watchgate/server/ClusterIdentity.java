package io.watchgate.server;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Identity of the served cluster, which tokens carry: the uid of its namespace {@code kube-system},
 * or a configured name. Even a configured name is returned only once the apiserver has answered, so
 * that nothing is served before. The request is retried until it succeeds, after any error: an
 * apiserver that has just started, or a proxy in front of it, may fail in any way.
 */
final class ClusterIdentity {
  /** First wait before the request is retried; it doubles up to 10 s. */
  static final Duration FIRST_WAIT = Duration.ofSeconds(2);

  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final KubeCluster cluster;
  private final String name;
  private final CountDownLatch closing;
  private Duration nextWait;

  /**
   * @param name configured name; empty for the uid
   * @param closing latch that ends the wait when it is released
   * @param retry the first wait
   */
  ClusterIdentity(KubeCluster cluster, String name, CountDownLatch closing, Duration retry) {
    this.cluster = cluster;
    this.name = name;
    this.closing = closing;
    this.nextWait = retry;
  }

  /**
   * Returns the identity, and waits for the apiserver if needed.
   *
   * @param onFailure receives the reason of each failed attempt
   * @throws InterruptedException also if the gateway is closed meanwhile
   */
  String await(Consumer<UpstreamFailure> onFailure) throws InterruptedException {
    while (true) {
      UpstreamFailure failure;
      try {
        if (name.isEmpty()) {
          return cluster.uid();
        }
        Optional<UpstreamFailure> unanswered = cluster.types().failure();
        if (unanswered.isEmpty()) {
          return name;
        }
        failure = unanswered.get();
      } catch (KubeException e) {
        failure = e.failure();
      }
      onFailure.accept(failure);
      if (closing.await(nextWait.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new InterruptedException("closed while waiting for the apiserver");
      }
      Duration doubled = nextWait.multipliedBy(2);
      nextWait = doubled.compareTo(MAX_WAIT) < 0 ? doubled : MAX_WAIT;
    }
  }
}
