package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps as many pods of each replicaset as it wants, as the controller manager does. */
final class ReplicaSets implements ObjectFollower.Actor, Pods.Watcher {
  /** How many pods are made at once, as by the controller manager; the next ones follow these. */
  private static final int BURST = 500;

  private final ClusterClient cluster;
  private final SimulationQueue agenda;
  private final Pods pods;

  ReplicaSets(ClusterClient cluster, SimulationQueue agenda, Pods pods) {
    this.cluster = cluster;
    this.agenda = agenda;
    this.pods = pods;
  }

  @Override
  public void saw(ObjectName key, @Nullable JsonObject now) {
    if (now != null) {
      later(key);
      return;
    }
    pods.ofReplicaSet(key).forEach(pod -> cluster.delete(SimulatedKind.PODS, pod.key()));
  }

  /** A pod came, changed or went: its replicaset has to look. */
  @Override
  public void became(@Nullable Pod before, @Nullable Pod now) {
    Pod pod = now == null ? before : now;
    if (pod != null && !pod.replicaSet().isEmpty()) {
      later(new ObjectName(pod.key().namespace(), pod.replicaSet()));
    }
  }

  private void later(ObjectName key) {
    agenda.once("replicaset " + key, 20, 100, () -> reconcile(key));
  }

  private void reconcile(ObjectName key) {
    cluster.get(SimulatedKind.REPLICA_SETS, key).ifPresent(set -> reconcile(key, set));
  }

  private void reconcile(ObjectName key, JsonObject set) {
    int wanted = Pod.object(set, "spec").get("replicas").getAsInt();
    List<Pod> own =
        pods.ofReplicaSet(key).stream().filter(pod -> pod.stage() != Pod.Stage.DELETING).toList();
    int missing = wanted - own.size();
    for (int i = 0; i < Math.min(missing, BURST); i++) {
      if (cluster.create(SimulatedKind.PODS, key.namespace(), pod(key, set)).isEmpty()) {
        break; // the next would be refused as well
      }
    }
    own.stream()
        .sorted(Comparator.comparing(Pod::ready))
        .limit(Math.max(0, own.size() - wanted))
        .forEach(pod -> cluster.delete(SimulatedKind.PODS, pod.key()));
    JsonObject status = new JsonObject();
    status.addProperty("replicas", own.size());
    status.addProperty("fullyLabeledReplicas", own.size());
    int ready = (int) own.stream().filter(Pod::ready).count();
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
    metadata.add("ownerReferences", OwnerReference.reference(set));
    return pod;
  }
}
