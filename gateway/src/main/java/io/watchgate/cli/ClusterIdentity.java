package io.watchgate.cli;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Identity of the cluster that is served, which tokens carry: the uid of its namespace {@code
 * kube-system}, or a configured name. Either is known once the apiserver has answered, since before
 * that nothing can be served; it is asked for as long as that takes, whatever it answers: a server
 * that has just started, or a proxy before it, may refuse in any way.
 */
final class ClusterIdentity {
  /** First wait before the apiserver is asked again; it doubles. */
  static final Duration RETRY = Duration.ofSeconds(2);

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final KubeCluster cluster;
  private final String name;
  private final CountDownLatch closing;
  private Duration wait;

  /**
   * @param name what the cluster is called; empty: its uid
   * @param closing once it is open, nobody waits any longer
   * @param retry the first wait
   */
  ClusterIdentity(KubeCluster cluster, String name, CountDownLatch closing, Duration retry) {
    this.cluster = cluster;
    this.name = name;
    this.closing = closing;
    this.wait = retry;
  }

  /**
   * Waits for the apiserver if need be.
   *
   * @param onFailure is told why it has to wait, each time
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
      if (closing.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new InterruptedException("closed while waiting for the apiserver");
      }
      Duration doubled = wait.multipliedBy(2);
      wait = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }
  }
}
