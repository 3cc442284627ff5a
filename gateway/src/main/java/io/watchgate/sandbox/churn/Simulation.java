package io.watchgate.sandbox.churn;

import io.watchgate.cache.TimeSource;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.WriteBackend;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The actors, their agenda, and what they see. Not thread-safe. */
final class Simulation implements AutoCloseable {
  private final ClusterClient cluster;
  private final Agenda agenda;
  private final List<Follower> followers;

  /** Makes the cluster's beginning; nothing happens before {@link #runUntil}. */
  Simulation(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    cluster = new ClusterClient(catalog, writes);
    RandomGenerator random = new SplittableRandom(settings.seed());
    agenda = new Agenda(random);
    Pods pods = new Pods();
    Recorder recorder = new Recorder(cluster, time);
    Scheduler scheduler = new Scheduler(cluster, agenda, pods, recorder);
    ReplicaSets replicaSets = new ReplicaSets(cluster, agenda, pods);
    Deployments deployments = new Deployments(cluster, agenda);
    Endpoints endpoints = new Endpoints(cluster, agenda, pods);
    pods.to(scheduler)
        .to(new Kubelet(cluster, agenda, pods, recorder, random, time))
        .to(replicaSets)
        .to(endpoints);
    followers =
        List.of(
            new Follower(cluster.cache(Kind.NODES))
                .to(scheduler::sawNode)
                .to(new Heartbeats(cluster, agenda, time)),
            new Follower(cluster.cache(Kind.DEPLOYMENTS)).to(deployments),
            new Follower(cluster.cache(Kind.REPLICA_SETS))
                .to(replicaSets)
                .to(deployments::sawReplicaSet),
            new Follower(cluster.cache(Kind.PODS)).to(pods),
            new Follower(cluster.cache(Kind.SERVICES)).to(endpoints));
    new Landscape(cluster, random, time).make(settings.nodes());
    new Operators(cluster, agenda, pods, random).start(settings.nodes());
  }

  /** Lives through all that happens up to {@code millis} after the beginning. */
  void runUntil(long millis) {
    look();
    while (agenda.next() <= millis && !Thread.currentThread().isInterrupted()) {
      agenda.step();
      look();
    }
    agenda.idleUntil(millis);
  }

  private void look() {
    followers.forEach(Follower::follow);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
