package io.watchgate.sandbox.churn;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Deployment controller. A rollout adds one pod of the new replicaset, and removes one pod of an
 * old replicaset when the new pod is ready.
 */
final class DeploymentController implements ObjectFollower.Actor {
  private final ClusterClient cluster;
  private final SimulationQueue queue;

  /** The replicasets of each deployment. */
  private final Map<ObjectName, Map<ObjectName, JsonObject>> sets = new TreeMap<>();

  private final Map<ObjectName, ObjectName> owners = new TreeMap<>();

  DeploymentController(ClusterClient cluster, SimulationQueue queue) {
    this.cluster = cluster;
    this.queue = queue;
  }

  @Override
  public void onChange(ObjectName key, @Nullable JsonObject now) {
    if (now != null) {
      scheduleReconcile(key);
      return;
    }
    for (ObjectName set : List.copyOf(sets.getOrDefault(key, Map.of()).keySet())) {
      cluster.delete(SimulatedKind.REPLICA_SETS, set);
    }
  }

  /** Reconciles the deployment of a replicaset that was added, changed or removed. */
  void onReplicaSetChange(ObjectName key, @Nullable JsonObject now) {
    ObjectName owner = now == null ? owners.remove(key) : OwnerReference.of(now, "Deployment");
    if (owner == null) {
      return;
    }
    Map<ObjectName, JsonObject> own = sets.computeIfAbsent(owner, name -> new TreeMap<>());
    if (now == null) {
      own.remove(key);
      if (own.isEmpty()) {
        sets.remove(owner);
      }
    } else {
      owners.put(key, owner);
      own.put(key, now);
    }
    scheduleReconcile(owner);
  }

  private void scheduleReconcile(ObjectName key) {
    queue.scheduleOnce(
        "deployment " + key, ChurnSettings.DEPLOYMENT_RECONCILE, () -> reconcile(key));
  }

  private void reconcile(ObjectName key) {
    cluster.get(SimulatedKind.DEPLOYMENTS, key).ifPresent(deployment -> reconcile(key, deployment));
  }

  private void reconcile(ObjectName key, JsonObject deployment) {
    JsonObject spec = Pod.object(deployment, "spec");
    int wanted = spec.get("replicas").getAsInt();
    JsonObject template = Pod.object(spec, "template");
    String hash = HexFormat.of().toHexDigits(template.toString().hashCode());
    ObjectName current = new ObjectName(key.namespace(), key.name() + "-" + hash);
    List<JsonObject> old = new ArrayList<>();
    JsonObject present = null;
    for (Map.Entry<ObjectName, JsonObject> set : sets.getOrDefault(key, Map.of()).entrySet()) {
      if (set.getKey().equals(current)) {
        present = set.getValue();
      } else {
        old.add(set.getValue());
      }
    }
    int others = old.stream().mapToInt(set -> replicas(set, "spec")).sum();
    if (present == null) {
      int first = others == 0 ? wanted : Math.min(1, wanted);
      cluster.create(
          SimulatedKind.REPLICA_SETS,
          key.namespace(),
          replicaSet(current, deployment, hash, first));
    } else {
      advanceRollout(current, present, old, wanted, others);
      deleteOldReplicaSets(old);
    }
    updateStatus(key, deployment, wanted, present, old);
  }

  /**
   * Scales one replicaset of a rollout. There is at most one pod above the wanted number. An old
   * pod is removed only if the other old pods and the ready new pods are enough.
   */
  private void advanceRollout(
      ObjectName current, JsonObject present, List<JsonObject> old, int wanted, int others) {
    int now = replicas(present, "spec");
    int ready = ready(present);
    if (now != wanted && (now > wanted || others == 0)) {
      scale(current, wanted);
    } else if (now < wanted && now + others <= wanted) {
      scale(current, now + 1);
    } else if (others > 0 && ready + others > wanted) {
      old.stream()
          .filter(set -> replicas(set, "spec") > 0)
          .findFirst()
          .ifPresent(set -> scale(ObjectName.of(set), replicas(set, "spec") - 1));
    }
  }

  /** Deletes old replicasets without pods; keeps two of them as history. */
  private void deleteOldReplicaSets(List<JsonObject> old) {
    old.stream()
        .filter(set -> replicas(set, "spec") == 0 && replicas(set, "status") == 0)
        .skip(2)
        .forEach(set -> cluster.delete(SimulatedKind.REPLICA_SETS, ObjectName.of(set)));
  }

  private void updateStatus(
      ObjectName key,
      JsonObject deployment,
      int wanted,
      @Nullable JsonObject present,
      List<JsonObject> old) {
    int updated = present == null ? 0 : replicas(present, "status");
    int ready = present == null ? 0 : ready(present);
    int all = updated;
    for (JsonObject set : old) {
      all += replicas(set, "status");
      ready += ready(set);
    }
    JsonObject status = new JsonObject();
    status.add("observedGeneration", Pod.object(deployment, "metadata").get("generation"));
    status.addProperty("replicas", all);
    status.addProperty("updatedReplicas", updated);
    status.addProperty("readyReplicas", ready);
    status.addProperty("availableReplicas", ready);
    status.addProperty("unavailableReplicas", Math.max(0, wanted - ready));
    cluster.mergeStatus(SimulatedKind.DEPLOYMENTS, key, status);
  }

  private void scale(ObjectName set, int replicas) {
    cluster.merge(
        SimulatedKind.REPLICA_SETS,
        set,
        ClusterClient.parse("{\"spec\":{\"replicas\":" + replicas + "}}"));
  }

  private static int replicas(JsonObject set, String part) {
    JsonElement replicas = Pod.object(set, part).get("replicas");
    return replicas == null ? 0 : replicas.getAsInt();
  }

  private static int ready(JsonObject set) {
    JsonElement ready = Pod.object(set, "status").get("readyReplicas");
    return ready == null ? 0 : ready.getAsInt();
  }

  private static JsonObject replicaSet(
      ObjectName key, JsonObject deployment, String hash, int replicas) {
    JsonObject spec = Pod.object(deployment, "spec");
    JsonObject template = Pod.object(spec, "template").deepCopy();
    label(Pod.object(Pod.object(template, "metadata"), "labels"), hash);
    JsonObject selector = Pod.object(spec, "selector").deepCopy();
    label(Pod.object(selector, "matchLabels"), hash);
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", key.name());
    metadata.addProperty("namespace", key.namespace());
    metadata.add("labels", Pod.object(Pod.object(template, "metadata"), "labels").deepCopy());
    metadata.add("ownerReferences", OwnerReference.controllerReferences(deployment));
    JsonObject wanted = new JsonObject();
    wanted.addProperty("replicas", replicas);
    wanted.add("selector", selector);
    wanted.add("template", template);
    JsonObject set = new JsonObject();
    set.addProperty("kind", "ReplicaSet");
    set.addProperty("apiVersion", "apps/v1");
    set.add("metadata", metadata);
    set.add("spec", wanted);
    return set;
  }

  private static void label(JsonObject labels, String hash) {
    labels.addProperty("pod-template-hash", hash);
  }
}
