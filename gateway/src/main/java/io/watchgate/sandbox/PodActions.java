package io.watchgate.sandbox;

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
    Conditions.add(pod, "PodScheduled", "", "", store.now());
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
    Conditions.add(
        pod, "DisruptionTarget", "EvictionByEvictionAPI", "Eviction API: evicting", store.now());
    return pod;
  }
}
