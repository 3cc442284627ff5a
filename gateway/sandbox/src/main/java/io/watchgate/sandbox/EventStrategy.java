package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;

/** Strategy of events, in the form of the core group. */
final class EventStrategy extends TypeStrategy {
  EventStrategy() {
    super(NameRule.SUBDOMAIN, Trait.CREATE_ON_UPDATE, Trait.EXPIRES);
  }

  @Override
  void defaults(JsonObject event) {
    JsonTree.objectOrNew(event, "involvedObject");
    JsonTree.objectOrNew(event, "source");
    for (String moment : List.of("firstTimestamp", "lastTimestamp", "eventTime")) {
      JsonTree.defaultTo(event, moment, (JsonElement) JsonNull.INSTANCE);
    }
    for (String reporting : List.of("reportingComponent", "reportingInstance")) {
      JsonTree.defaultTo(event, reporting, "");
    }
  }

  @Override
  void validate(JsonObject event, FieldErrors invalid) {
    String namespace = JsonTree.text(event, "metadata", "namespace");
    String involved = JsonTree.text(event, "involvedObject", "namespace");
    // Events about objects without a namespace are in default or in kube-system.
    boolean clusterScoped =
        involved.isEmpty() && List.of("default", "kube-system").contains(namespace);
    if (!involved.equals(namespace) && !clusterScoped) {
      invalid.invalid("involvedObject.namespace", involved, "does not match event.namespace");
    }
  }
}
