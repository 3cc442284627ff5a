package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Strategy of deployments and replica sets. */
final class WorkloadStrategy extends TypeStrategy {
  private static final String MISMATCH = "`selector` does not match template `labels`";

  private static final List<String> COUNTS =
      List.of(
          "observedGeneration",
          "replicas",
          "fullyLabeledReplicas",
          "updatedReplicas",
          "readyReplicas",
          "availableReplicas",
          "unavailableReplicas");

  private final Kind kind;

  /** The type: deployment or replica set. */
  enum Kind {
    DEPLOYMENT,
    REPLICA_SET
  }

  WorkloadStrategy(Kind kind) {
    super(NameRule.SUBDOMAIN, Trait.GENERATION, Trait.STATUS);
    this.kind = kind;
  }

  @Override
  void defaults(JsonObject workload) {
    JsonObject spec = JsonTree.objectOrNew(workload, "spec");
    JsonTree.defaultTo(spec, "replicas", 1);
    JsonObject template = JsonTree.objectOrNew(spec, "template");
    JsonObject metadata = JsonTree.object(template, "metadata");
    template.add("metadata", Metadata.canonical(metadata == null ? new JsonObject() : metadata));
    PodSpecs.defaults(JsonTree.objectOrNew(template, "spec"));
    if (kind == Kind.DEPLOYMENT) {
      strategy(JsonTree.objectOrNew(spec, "strategy"));
      JsonTree.defaultTo(spec, "revisionHistoryLimit", 10);
      JsonTree.defaultTo(spec, "progressDeadlineSeconds", 600);
      Conditions.addNullTimestamps(workload, "lastUpdateTime");
    }
    Conditions.addNullTimestamps(workload, "lastTransitionTime");
    JsonObject status = JsonTree.object(workload, "status");
    if (status != null) {
      removeZeroCounts(status);
    }
  }

  /** Removes counts of 0, except the replicas of a replica set. */
  private void removeZeroCounts(JsonObject status) {
    for (String count : COUNTS) {
      boolean always = kind == Kind.REPLICA_SET && count.equals("replicas");
      if (!always && JsonTree.has(status, count) && JsonTree.number(status, 0, count) == 0) {
        status.remove(count);
      }
    }
  }

  private static void strategy(JsonObject strategy) {
    JsonTree.defaultTo(strategy, "type", "RollingUpdate");
    if (JsonTree.text(strategy, "type").equals("RollingUpdate")) {
      JsonObject rolling = JsonTree.objectOrNew(strategy, "rollingUpdate");
      JsonTree.defaultTo(rolling, "maxUnavailable", "25%");
      JsonTree.defaultTo(rolling, "maxSurge", "25%");
    }
  }

  @Override
  void prepareCreate(JsonObject workload, Allocator allocations) {
    JsonObject status = new JsonObject();
    if (kind == Kind.REPLICA_SET) {
      status.addProperty("replicas", 0);
    }
    workload.add("status", status);
  }

  /**
   * Returns true also for changed annotations of a deployment, because an annotation can request a
   * new rollout.
   */
  @Override
  boolean hasDesiredStateChanged(JsonObject now, JsonObject old) {
    return super.hasDesiredStateChanged(now, old)
        || (kind == Kind.DEPLOYMENT
            && !ObjectNormalizer.isEqual(
                JsonTree.object(now, "metadata", "annotations"),
                JsonTree.object(old, "metadata", "annotations")));
  }

  @Override
  void validate(JsonObject workload, FieldErrors invalid) {
    JsonObject spec = JsonTree.objectOrNew(workload, "spec");
    if (JsonTree.number(spec, 0, "replicas") < 0) {
      invalid.invalid("spec.replicas", spec.get("replicas"), "must be greater than or equal to 0");
    }
    JsonObject selector = JsonTree.object(spec, "selector");
    if (selector == null) {
      invalid.required("spec.selector");
    } else if (selector.isEmpty()) {
      invalid.invalid("spec.selector", selector, "empty selector is invalid for deployment");
    }
    JsonObject labels = JsonTree.object(spec, "template", "metadata", "labels");
    Metadata.labels(labels, "spec.template.metadata.labels", invalid);
    if (!matches(selector, labels)) {
      invalid.invalid("spec.template.metadata.labels", labels, MISMATCH);
    }
    JsonObject template = JsonTree.object(spec, "template", "spec");
    JsonObject pod = template == null ? new JsonObject() : template;
    PodSpecs.validate(pod, "spec.template.spec", invalid);
    String restart = JsonTree.text(pod, "restartPolicy");
    if (List.of("OnFailure", "Never").contains(restart)) {
      invalid.unsupported("spec.template.spec.restartPolicy", restart, List.of("Always"));
    }
  }

  /** Returns whether the selector's labels match. Expressions are not checked. */
  private static boolean matches(@Nullable JsonObject selector, @Nullable JsonObject labels) {
    if (selector == null || labels == null) {
      return false;
    }
    JsonObject wanted = JsonTree.object(selector, "matchLabels");
    if (wanted != null) {
      for (Map.Entry<String, JsonElement> label : wanted.entrySet()) {
        if (!label.getValue().equals(labels.get(label.getKey()))) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    JsonObject wanted = JsonTree.object(now, "spec", "selector");
    JsonObject held = JsonTree.object(old, "spec", "selector");
    if (wanted != null && held != null && !ObjectNormalizer.isEqual(wanted, held)) {
      invalid.invalid("spec.selector", wanted, "field is immutable");
    }
  }
}
