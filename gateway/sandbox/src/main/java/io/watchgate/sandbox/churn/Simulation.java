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
  private final SimulationQueue queue;
  private final List<ObjectFollower> followers;

  /** Creates the initial cluster; nothing else happens before {@link #runUntil}. */
  Simulation(
      ResourceCatalog catalog, WriteBackend writes, ChurnSettings settings, TimeSource time) {
    cluster = new ClusterClient(catalog, writes);
    RandomGenerator random = new SplittableRandom(settings.seed());
    queue = new SimulationQueue(random);
    PodIndex pods = new PodIndex();
    EventRecorder recorder = new EventRecorder(cluster, time);
    PodScheduler scheduler = new PodScheduler(cluster, queue, pods, recorder);
    ReplicaSetController replicaSets = new ReplicaSetController(cluster, queue, pods);
    DeploymentController deployments = new DeploymentController(cluster, queue);
    EndpointSliceController endpoints = new EndpointSliceController(cluster, queue, pods);
    pods.addWatcher(scheduler)
        .addWatcher(new Kubelet(cluster, queue, pods, recorder, random, time))
        .addWatcher(replicaSets)
        .addWatcher(endpoints);
    followers =
        List.of(
            new ObjectFollower(cluster.cache(SimulatedKind.NODES))
                .addActor(scheduler::onNodeChange)
                .addActor(new NodeLeaseRenewer(cluster, queue, time)),
            new ObjectFollower(cluster.cache(SimulatedKind.DEPLOYMENTS)).addActor(deployments),
            new ObjectFollower(cluster.cache(SimulatedKind.REPLICA_SETS))
                .addActor(replicaSets)
                .addActor(deployments::onReplicaSetChange),
            new ObjectFollower(cluster.cache(SimulatedKind.PODS)).addActor(pods),
            new ObjectFollower(cluster.cache(SimulatedKind.SERVICES)).addActor(endpoints));
    new InitialCluster(cluster, random, time).create(settings.nodes());
    new SimulatedUsers(cluster, queue, pods, random, settings).start();
  }

  /** Runs the simulation up to {@code millis} milliseconds of virtual time. */
  void runUntil(long millis) {
    pollChanges();
    while (queue.nextDue() <= millis && !Thread.currentThread().isInterrupted()) {
      queue.runNext();
      pollChanges();
    }
    queue.advanceTo(millis);
  }

  private void pollChanges() {
    followers.forEach(ObjectFollower::poll);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
