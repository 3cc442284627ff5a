package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;
import java.util.List;

/** Strategy of nodes. */
final class NodeStrategy extends TypeStrategy {
  private static final List<String> INFO =
      List.of(
          "machineID",
          "systemUUID",
          "bootID",
          "kernelVersion",
          "osImage",
          "containerRuntimeVersion",
          "kubeletVersion",
          "kubeProxyVersion",
          "operatingSystem",
          "architecture");

  NodeStrategy() {
    super(NameRule.SUBDOMAIN, Trait.STATUS, Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject node) {
    JsonObject spec = JsonTree.objectOrNew(node, "spec");
    String range = JsonTree.text(spec, "podCIDR");
    if (!range.isEmpty()) {
      JsonTree.defaultTo(spec, "podCIDRs", JsonTree.array(range));
    }
    Conditions.addNullTimestamps(node, "lastHeartbeatTime", "lastTransitionTime");
    JsonObject status = JsonTree.objectOrNew(node, "status");
    JsonElement capacity = JsonTree.at(status, "capacity");
    if (capacity != null) {
      JsonTree.defaultTo(status, "allocatable", capacity.deepCopy());
    }
    JsonObject kubelet =
        JsonTree.objectOrNew(JsonTree.objectOrNew(status, "daemonEndpoints"), "kubeletEndpoint");
    JsonTree.defaultTo(kubelet, "Port", 0);
    JsonObject info = JsonTree.objectOrNew(status, "nodeInfo");
    for (String name : INFO) {
      if (!info.has(name)) {
        info.addProperty(name, "");
      }
    }
  }

  /**
   * Adds the taint of a node that has not reported yet. The status that was sent with a new node is
   * kept.
   */
  @Override
  void prepareCreate(JsonObject node, Allocator allocations) {
    JsonObject spec = JsonTree.objectOrNew(node, "spec");
    String notReady = "node.kubernetes.io/not-ready";
    List<JsonObject> taints = JsonTree.objects(spec, "taints");
    if (taints.stream().noneMatch(taint -> JsonTree.text(taint, "key").equals(notReady))) {
      JsonTree.defaultTo(spec, "taints", new JsonArray());
      if (spec.get("taints") instanceof JsonArray all) {
        all.add(JsonObjects.of("key", notReady, "effect", "NoSchedule"));
      }
    }
  }
}
