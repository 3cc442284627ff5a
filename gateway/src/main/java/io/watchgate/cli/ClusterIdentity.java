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
 * Which cluster is served, which tokens carry: the uid of its namespace {@code kube-system}, or a
 * configured name. Either is known once the apiserver has answered, since before that nothing can
 * be served; it is asked for as long as that takes.
 */
final class ClusterIdentity {
  /** How long to wait before the apiserver is asked again. */
  static final Duration RETRY = Duration.ofSeconds(2);

  private final KubeCluster cluster;
  private final String name;
  private final CountDownLatch closing;

  /**
   * @param name what the cluster is called; empty: its uid
   * @param closing once it is open, nobody waits any longer
   */
  ClusterIdentity(KubeCluster cluster, String name, CountDownLatch closing) {
    this.cluster = cluster;
    this.name = name;
    this.closing = closing;
  }

  /**
   * Waits for the apiserver if need be.
   *
   * @param onFailure is told why it has to wait, each time
   * @throws KubeException if the apiserver refuses to say so; the message names the remedies
   * @throws InterruptedException also if the gateway is closed meanwhile
   */
  String await(Consumer<UpstreamFailure> onFailure) throws KubeException, InterruptedException {
    return name.isEmpty() ? uid(onFailure) : named(onFailure);
  }

  private String uid(Consumer<UpstreamFailure> onFailure)
      throws KubeException, InterruptedException {
    while (true) {
      try {
        return cluster.uid();
      } catch (KubeException e) {
        if (!isPassing(e.failure())) {
          throw e;
        }
        pause(e.failure(), onFailure);
      }
    }
  }

  private String named(Consumer<UpstreamFailure> onFailure) throws InterruptedException {
    Optional<UpstreamFailure> failure = cluster.types().failure();
    while (failure.isPresent()) {
      pause(failure.get(), onFailure);
      failure = cluster.types().failure();
    }
    return name;
  }

  private static boolean isPassing(UpstreamFailure failure) {
    return switch (failure) {
      case UpstreamFailure.Transport _,
          UpstreamFailure.Throttled _,
          UpstreamFailure.ServerError _,
          UpstreamFailure.Unauthorized _,
          UpstreamFailure.NotYetReached _ ->
          true;
      case UpstreamFailure.Forbidden _,
          UpstreamFailure.TypeGone _,
          UpstreamFailure.BadRequest _,
          UpstreamFailure.Malformed _,
          UpstreamFailure.Expired _,
          UpstreamFailure.Unsupported _ ->
          false;
    };
  }

  private void pause(UpstreamFailure failure, Consumer<UpstreamFailure> onFailure)
      throws InterruptedException {
    onFailure.accept(failure);
    if (closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new InterruptedException("closed while waiting for the apiserver");
    }
  }
}
