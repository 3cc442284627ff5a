package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;

/** Nodes. */
final class NodeRules extends TypeRules {
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

  NodeRules() {
    super(NameRule.SUBDOMAIN, Trait.STATUS, Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject node) {
    JsonObject spec = Tree.objectOrNew(node, "spec");
    String range = Tree.text(spec, "podCIDR");
    if (!range.isEmpty()) {
      Tree.defaultTo(spec, "podCIDRs", Tree.array(range));
    }
    Conditions.defaults(node, "lastHeartbeatTime", "lastTransitionTime");
    JsonObject status = Tree.objectOrNew(node, "status");
    JsonElement capacity = Tree.at(status, "capacity");
    if (capacity != null) {
      Tree.defaultTo(status, "allocatable", capacity.deepCopy());
    }
    JsonObject kubelet =
        Tree.objectOrNew(Tree.objectOrNew(status, "daemonEndpoints"), "kubeletEndpoint");
    Tree.defaultTo(kubelet, "Port", 0);
    JsonObject info = Tree.objectOrNew(status, "nodeInfo");
    for (String name : INFO) {
      if (!info.has(name)) {
        info.addProperty(name, "");
      }
    }
  }

  /** A new node has yet to report. What it says of its status with that stands. */
  @Override
  void prepareCreate(JsonObject node, Allocations allocations) {
    JsonObject spec = Tree.objectOrNew(node, "spec");
    String notReady = "node.kubernetes.io/not-ready";
    List<JsonObject> taints = Tree.objects(spec, "taints");
    if (taints.stream().noneMatch(taint -> Tree.text(taint, "key").equals(notReady))) {
      JsonObject taint = new JsonObject();
      taint.addProperty("key", notReady);
      taint.addProperty("effect", "NoSchedule");
      Tree.defaultTo(spec, "taints", new JsonArray());
      if (spec.get("taints") instanceof JsonArray all) {
        all.add(taint);
      }
    }
  }
}
