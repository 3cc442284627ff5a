package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import java.util.List;

/** What is done to a pod by sending something else: it is bound to a node, or evicted. */
final class PodActions {
  private final Store store;
  private final Update update;
  private final Deletion deletion;

  PodActions(Store store, Update update, Deletion deletion) {
    this.store = store;
    this.update = update;
    this.deletion = deletion;
  }

  void bind(Target pod, JsonObject binding, Commit commit) throws StatusException {
    String node = Tree.text(binding, "target", "name");
    String kind = Tree.text(binding, "target", "kind");
    Invalid invalid = new Invalid();
    if (!kind.isEmpty() && !kind.equals("Node")) {
      invalid.unsupported("target.kind", kind, List.of("Node", "<empty>"));
    }
    if (node.isEmpty()) {
      invalid.required("target.name");
    }
    invalid.throwIfAny("", "Binding", pod.name());
    update.change(pod, now -> bound(pod, now, node), Part.ANYTHING, commit);
  }

  private JsonObject bound(Target target, JsonObject pod, String node) throws StatusException {
    if (Tree.has(pod, "metadata", Metadata.DELETED)) {
      throw refused(
          target, "pod " + target.name() + " is being deleted, cannot be assigned to a host");
    }
    String held = Tree.text(pod, "spec", "nodeName");
    if (!held.isEmpty()) {
      throw refused(
          target, "pod %s is already assigned to node \"%s\"".formatted(target.name(), held));
    }
    Tree.objectOrNew(pod, "spec").addProperty("nodeName", node);
    addCondition(pod, "PodScheduled", new JsonObject());
    return pod;
  }

  private static StatusException refused(Target pod, String why) {
    return Refusals.conflict("pods/binding", pod.name(), why);
  }

  void evict(Target pod, JsonObject eviction, Commit otherwise) throws StatusException {
    JsonObject sent = Tree.object(eviction, "deleteOptions");
    DeleteOptions options = Parameters.delete(sent == null ? new JsonObject() : sent, otherwise);
    store.inOrder(
        () -> {
          if (options.commit() == Commit.REAL) {
            update.change(pod, this::disrupted, Part.ANYTHING, Commit.REAL);
          }
          return deletion.delete(pod, options);
        });
  }

  private JsonObject disrupted(JsonObject pod) {
    JsonObject why = new JsonObject();
    why.addProperty("reason", "EvictionByEvictionAPI");
    why.addProperty("message", "Eviction API: evicting");
    addCondition(pod, "DisruptionTarget", why);
    return pod;
  }

  private void addCondition(JsonObject pod, String type, JsonObject more) {
    JsonObject condition = new JsonObject();
    condition.addProperty("type", type);
    condition.addProperty("status", "True");
    condition.add("lastProbeTime", JsonNull.INSTANCE);
    condition.addProperty("lastTransitionTime", store.now());
    more.entrySet().forEach(member -> condition.add(member.getKey(), member.getValue()));
    JsonArray conditions = new JsonArray();
    JsonObject status = Tree.objectOrNew(pod, "status");
    for (JsonObject other : Tree.objects(status, "conditions")) {
      if (!Tree.text(other, "type").equals(type)) {
        conditions.add((JsonElement) other);
      }
    }
    conditions.add(condition);
    status.add("conditions", conditions);
  }
}
