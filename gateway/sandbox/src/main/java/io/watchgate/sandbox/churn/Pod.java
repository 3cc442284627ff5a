package io.watchgate.sandbox.churn;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

/**
 * The parts of a pod that the actors use.
 *
 * @param replicaSet name of the owner; empty if there is none
 * @param node empty until the pod is scheduled
 * @param app value of the label; empty without the label
 * @param ip empty until the pod runs
 * @param stage stage of the pod's lifecycle
 */
record Pod(
    ObjectName key,
    String uid,
    String replicaSet,
    String node,
    String app,
    String ip,
    Stage stage) {

  /** Stage of a pod's lifecycle, as its kubelet sees it. */
  enum Stage {
    UNSCHEDULED,
    SCHEDULED,
    STARTING,
    WAITING,
    READY,
    ENDED,
    DELETING
  }

  boolean isReady() {
    return stage == Stage.READY;
  }

  static Pod of(ObjectName key, JsonObject pod) {
    JsonObject metadata = pod.getAsJsonObject("metadata");
    JsonObject spec = object(pod, "spec");
    JsonObject status = object(pod, "status");
    String node = text(spec, "nodeName");
    ObjectName owner = OwnerReference.of(pod, "ReplicaSet");
    return new Pod(
        key,
        text(metadata, "uid"),
        owner == null ? "" : owner.name(),
        node,
        text(object(metadata, "labels"), "app"),
        text(status, "podIP"),
        stage(metadata, node, status));
  }

  private static Stage stage(JsonObject metadata, String node, JsonObject status) {
    if (metadata.has("deletionTimestamp")) {
      return Stage.DELETING;
    }
    if (node.isEmpty()) {
      return Stage.UNSCHEDULED;
    }
    String phase = text(status, "phase");
    if (phase.equals("Succeeded") || phase.equals("Failed")) {
      return Stage.ENDED;
    }
    JsonArray containers = status.getAsJsonArray("containerStatuses");
    if (containers == null || containers.isEmpty()) {
      return Stage.SCHEDULED;
    }
    JsonObject container = containers.get(0).getAsJsonObject();
    if (object(container, "state").has("running")) {
      return Stage.READY;
    }
    return phase.equals("Pending") ? Stage.STARTING : Stage.WAITING;
  }

  /** Returns a member object; an empty object if there is none. */
  static JsonObject object(JsonObject parent, String name) {
    return parent.get(name) instanceof JsonObject child ? child : new JsonObject();
  }

  /** Returns a member as text; empty if there is none. */
  static String text(JsonObject parent, String name) {
    JsonElement child = parent.get(name);
    return child == null || !child.isJsonPrimitive() ? "" : child.getAsString();
  }
}
