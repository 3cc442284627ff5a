package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replicaset controller: creates and deletes pods to keep the wanted number, as the controller
 * manager does.
 */
final class ReplicaSetController implements ObjectFollower.Actor, PodIndex.Watcher {
  private final ClusterClient cluster;
  private final SimulationQueue queue;
  private final PodIndex pods;

  ReplicaSetController(ClusterClient cluster, SimulationQueue queue, PodIndex pods) {
    this.cluster = cluster;
    this.queue = queue;
    this.pods = pods;
  }

  @Override
  public void onChange(ObjectName key, @Nullable JsonObject now) {
    if (now != null) {
      scheduleReconcile(key);
      return;
    }
    pods.ofReplicaSet(key).forEach(pod -> cluster.delete(SimulatedKind.PODS, pod.key()));
  }

  /** Reconciles the replicaset of a pod that was added, changed or removed. */
  @Override
  public void onPodChange(@Nullable Pod before, @Nullable Pod now) {
    Pod pod = now == null ? before : now;
    if (pod != null && !pod.replicaSet().isEmpty()) {
      scheduleReconcile(new ObjectName(pod.key().namespace(), pod.replicaSet()));
    }
  }

  private void scheduleReconcile(ObjectName key) {
    queue.scheduleOnce(
        "replicaset " + key, ChurnSettings.REPLICA_SET_RECONCILE, () -> reconcile(key));
  }

  private void reconcile(ObjectName key) {
    cluster.get(SimulatedKind.REPLICA_SETS, key).ifPresent(set -> reconcile(key, set));
  }

  private void reconcile(ObjectName key, JsonObject set) {
    int wanted = Pod.object(set, "spec").get("replicas").getAsInt();
    List<Pod> own =
        pods.ofReplicaSet(key).stream().filter(pod -> pod.stage() != Pod.Stage.DELETING).toList();
    int missing = wanted - own.size();
    for (int i = 0; i < Math.min(missing, ChurnSettings.REPLICA_SET_BURST); i++) {
      if (cluster.create(SimulatedKind.PODS, key.namespace(), pod(key, set)).isEmpty()) {
        break; // the next create would fail too
      }
    }
    own.stream()
        .sorted(Comparator.comparing(Pod::isReady))
        .limit(Math.max(0, own.size() - wanted))
        .forEach(pod -> cluster.delete(SimulatedKind.PODS, pod.key()));
    JsonObject status = new JsonObject();
    status.addProperty("replicas", own.size());
    status.addProperty("fullyLabeledReplicas", own.size());
    int ready = (int) own.stream().filter(Pod::isReady).count();
    status.addProperty("readyReplicas", ready);
    status.addProperty("availableReplicas", ready);
    status.add("observedGeneration", Pod.object(set, "metadata").get("generation"));
    cluster.mergeStatus(SimulatedKind.REPLICA_SETS, key, status);
  }

  private static JsonObject pod(ObjectName key, JsonObject set) {
    JsonObject pod = Pod.object(Pod.object(set, "spec"), "template").deepCopy();
    pod.addProperty("kind", "Pod");
    pod.addProperty("apiVersion", "v1");
    JsonObject metadata = pod.getAsJsonObject("metadata");
    metadata.remove("creationTimestamp");
    metadata.addProperty("generateName", key.name() + "-");
    metadata.add("ownerReferences", OwnerReference.controllerReferences(set));
    return pod;
  }
}
