package io.watchgate.sandbox.churn;

import io.watchgate.cache.TimeSource;
import io.watchgate.http.ResourceCatalog;
import io.watchgate.http.WriteBackend;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The actors, their queue, and the observers of the types. Not thread-safe. */
final class Simulation implements AutoCloseable {
  private final ClusterClient cluster;
  private final SimulationQueue agenda;
  private final List<ObjectFollower> followers;

  /** Creates the initial cluster; nothing else happens before {@link #runUntil}. */
  Simulation(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    cluster = new ClusterClient(catalog, writes);
    RandomGenerator random = new SplittableRandom(settings.seed());
    agenda = new SimulationQueue(random);
    Pods pods = new Pods();
    EventRecorder recorder = new EventRecorder(cluster, time);
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
            new ObjectFollower(cluster.cache(SimulatedKind.NODES))
                .to(scheduler::sawNode)
                .to(new Heartbeats(cluster, agenda, time)),
            new ObjectFollower(cluster.cache(SimulatedKind.DEPLOYMENTS)).to(deployments),
            new ObjectFollower(cluster.cache(SimulatedKind.REPLICA_SETS))
                .to(replicaSets)
                .to(deployments::sawReplicaSet),
            new ObjectFollower(cluster.cache(SimulatedKind.PODS)).to(pods),
            new ObjectFollower(cluster.cache(SimulatedKind.SERVICES)).to(endpoints));
    new InitialCluster(cluster, random, time).make(settings.nodes());
    new HumanOperators(cluster, agenda, pods, random).start(settings.nodes());
  }

  /** Runs the simulation up to {@code millis} milliseconds of virtual time. */
  void runUntil(long millis) {
    look();
    while (agenda.next() <= millis && !Thread.currentThread().isInterrupted()) {
      agenda.step();
      look();
    }
    agenda.idleUntil(millis);
  }

  private void look() {
    followers.forEach(ObjectFollower::follow);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
