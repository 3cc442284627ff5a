package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import java.util.List;

/** Handler of the pod subresources binding and eviction. */
final class PodActions {
  private final ObjectStore store;
  private final UpdateHandler update;
  private final DeleteHandler deletion;

  PodActions(ObjectStore store, UpdateHandler update, DeleteHandler deletion) {
    this.store = store;
    this.update = update;
    this.deletion = deletion;
  }

  void bind(WriteTarget pod, JsonObject binding, DryRun dryRun) throws StatusException {
    String node = JsonTree.text(binding, "target", "name");
    String kind = JsonTree.text(binding, "target", "kind");
    FieldErrors invalid = new FieldErrors();
    if (!kind.isEmpty() && !kind.equals("Node")) {
      invalid.unsupported("target.kind", kind, List.of("Node", "<empty>"));
    }
    if (node.isEmpty()) {
      invalid.required("target.name");
    }
    invalid.throwIfAny("", "Binding", pod.name());
    update.change(pod, now -> bound(pod, now, node), UpdatedPart.ANYTHING, dryRun);
  }

  private JsonObject bound(WriteTarget target, JsonObject pod, String node) throws StatusException {
    if (JsonTree.has(pod, "metadata", Metadata.DELETED)) {
      throw refused(
          target, "pod " + target.name() + " is being deleted, cannot be assigned to a host");
    }
    String held = JsonTree.text(pod, "spec", "nodeName");
    if (!held.isEmpty()) {
      throw refused(
          target, "pod %s is already assigned to node \"%s\"".formatted(target.name(), held));
    }
    JsonTree.objectOrNew(pod, "spec").addProperty("nodeName", node);
    Conditions.set(pod, "PodScheduled", "", "", store.now());
    return pod;
  }

  private static StatusException refused(WriteTarget pod, String reason) {
    return WriteErrors.conflict("pods/binding", pod.name(), reason);
  }

  void evict(WriteTarget pod, JsonObject eviction, DryRun otherwise) throws StatusException {
    JsonObject sent = JsonTree.object(eviction, "deleteOptions");
    DeleteOptions options = WriteOptions.delete(sent == null ? new JsonObject() : sent, otherwise);
    store.runLocked(
        () -> {
          if (options.dryRun() == DryRun.DRY_RUN) {
            return deletion.delete(pod, options);
          }
          update.change(
              pod, now -> disrupted(pod, now, options), UpdatedPart.ANYTHING, DryRun.REAL);
          return deletion.delete(pod, options.withoutPreconditions());
        });
  }

  /** Marks a pod, unless a precondition fails; the mark changes the version. */
  private JsonObject disrupted(WriteTarget target, JsonObject pod, DeleteOptions options)
      throws StatusException {
    DeleteHandler.requirePreconditions(target, Metadata.of(pod), options);
    Conditions.set(
        pod, "DisruptionTarget", "EvictionByEvictionAPI", "Eviction API: evicting", store.now());
    return pod;
  }
}
