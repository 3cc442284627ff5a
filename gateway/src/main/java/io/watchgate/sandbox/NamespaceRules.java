package io.watchgate.sandbox;

import com.google.gson.JsonObject;

/** Namespaces. */
final class NamespaceRules extends TypeRules {
  NamespaceRules() {
    super(NameRule.LABEL, Trait.ANSWERS_DELETED, Trait.STATUS, Trait.STATUS_WITH_METADATA);
  }

  @Override
  void defaults(JsonObject namespace) {
    JsonObject metadata = Metadata.of(namespace);
    Tree.objectOrNew(metadata, "labels")
        .addProperty("kubernetes.io/metadata.name", Tree.text(metadata, Metadata.NAME));
    namespace.add("metadata", Metadata.canonical(metadata));
  }

  @Override
  void prepareCreate(JsonObject namespace, Allocations allocations) {
    JsonObject spec = Tree.objectOrNew(namespace, "spec");
    spec.add("finalizers", Tree.array("kubernetes"));
    JsonObject status = new JsonObject();
    status.addProperty("phase", "Active");
    namespace.add("status", status);
  }

  @Override
  void prepareUpdate(JsonObject now, JsonObject old) {
    Tree.carryOver(old, now, "spec"); // nothing but finalizers, which have a path of their own
  }
}
