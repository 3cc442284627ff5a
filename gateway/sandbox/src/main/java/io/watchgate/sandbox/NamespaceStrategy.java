package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;

/** Strategy of namespaces. */
final class NamespaceStrategy extends TypeStrategy {
  NamespaceStrategy() {
    super(NameRule.LABEL, Trait.DELETE_RETURNS_OBJECT, Trait.STATUS, Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject namespace) {
    JsonObject metadata = Metadata.of(namespace);
    JsonTree.objectOrNew(metadata, "labels")
        .addProperty("kubernetes.io/metadata.name", JsonTree.text(metadata, Metadata.NAME));
    namespace.add("metadata", Metadata.canonical(metadata));
  }

  @Override
  void prepareCreate(JsonObject namespace, Allocator allocations) {
    JsonObject spec = JsonTree.objectOrNew(namespace, "spec");
    spec.add("finalizers", JsonTree.array(NamespaceFinalizer.OWN));
    namespace.add("status", JsonObjects.of("phase", "Active"));
  }

  @Override
  void prepareUpdate(JsonObject now, JsonObject old, Allocator allocations) {
    JsonTree.carryOver(old, now, "spec"); // only finalizers; own subresource
  }
}
