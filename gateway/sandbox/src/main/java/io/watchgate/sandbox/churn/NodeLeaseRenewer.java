package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import io.watchgate.cache.TimeSource;
import org.jspecify.annotations.Nullable;

/** Heartbeat of the nodes: renews the lease of each node every 10 s, as kubelets do. */
final class NodeLeaseRenewer implements ObjectFollower.Actor {
  private static final String NAMESPACE = "kube-node-lease";

  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final TimeSource time;

  NodeLeaseRenewer(ClusterClient cluster, SimulationQueue queue, TimeSource time) {
    this.cluster = cluster;
    this.queue = queue;
    this.time = time;
  }

  @Override
  public void onChange(ObjectName node, @Nullable JsonObject now) {
    if (now != null) {
      queue.scheduleOnce("beat " + node, ChurnSettings.FIRST_LEASE_RENEWAL, () -> renewLease(node));
    }
  }

  private void renewLease(ObjectName node) {
    ObjectName lease = new ObjectName(NAMESPACE, node.name());
    if (cluster.get(SimulatedKind.NODES, node).isEmpty()) {
      cluster.delete(SimulatedKind.LEASES, lease);
      return;
    }
    JsonObject spec =
        ClusterClient.parse(
            """
            {"spec":{"holderIdentity":"%s","leaseDurationSeconds":40,"renewTime":"%s"}}\
            """
                .formatted(node.name(), InitialCluster.MICROS.format(time.now())));
    if (cluster.get(SimulatedKind.LEASES, lease).isPresent()) {
      cluster.merge(SimulatedKind.LEASES, lease, spec);
    } else {
      spec.addProperty("kind", "Lease");
      spec.addProperty("apiVersion", "coordination.k8s.io/v1");
      JsonObject metadata = new JsonObject();
      metadata.addProperty("name", node.name());
      spec.add("metadata", metadata);
      cluster.create(SimulatedKind.LEASES, NAMESPACE, spec);
    }
    queue.scheduleOnce("beat " + node, ChurnSettings.LEASE_RENEWAL, () -> renewLease(node));
  }
}
