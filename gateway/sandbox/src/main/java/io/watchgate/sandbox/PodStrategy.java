package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;
import java.util.List;

/** Strategy of pods. */
final class PodStrategy extends TypeStrategy {
  private static final String UNCHANGEABLE =
      "pod updates may not change fields other than `spec.containers[*].image`,"
          + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only"
          + " additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to"
          + " be set to 1 if it was previously negative)";

  PodStrategy() {
    super(
        NameRule.SUBDOMAIN,
        Trait.GENERATION,
        Trait.DELETE_RETURNS_OBJECT,
        Trait.STATUS,
        Trait.STATUS_WITH_METADATA,
        Trait.GRACE);
  }

  @Override
  void defaults(JsonObject pod) {
    JsonObject spec = JsonTree.objectOrNew(pod, "spec");
    PodSpecs.defaults(spec);
    PodSpecs.defaultRequestsToLimits(spec);
    PodSpecs.addNodeTolerations(spec);
    JsonTree.defaultTo(spec, "priority", 0);
    JsonTree.defaultTo(spec, "enableServiceLinks", true);
    JsonTree.defaultTo(spec, "preemptionPolicy", "PreemptLowerPriority");
    Conditions.addNullTimestamps(pod, "lastProbeTime", "lastTransitionTime");
  }

  @Override
  void prepareCreate(JsonObject pod, Allocator allocations) {
    String quality = PodSpecs.qualityOfService(JsonTree.objectOrNew(pod, "spec"));
    pod.add("status", JsonObjects.of("phase", "Pending", "qosClass", quality));
  }

  @Override
  void validate(JsonObject pod, FieldErrors invalid) {
    PodSpecs.validate(JsonTree.objectOrNew(pod, "spec"), "spec", invalid);
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {
    JsonObject wanted = immutablePart(now);
    JsonObject held = immutablePart(old);
    boolean added =
        JsonTree.objects(now, "spec", "tolerations")
            .containsAll(JsonTree.objects(old, "spec", "tolerations"));
    if (!ObjectNormalizer.isEqual(wanted, held) || !added) {
      invalid.forbidden("spec", UNCHANGEABLE);
    }
  }

  /** Returns the part of a pod that may not change. */
  private static JsonObject immutablePart(JsonObject pod) {
    JsonObject spec = JsonTree.objectOrNew(pod, "spec").deepCopy();
    for (String kind : List.of("containers", "initContainers")) {
      JsonTree.objects(spec, kind).forEach(container -> container.remove("image"));
    }
    spec.remove("activeDeadlineSeconds");
    spec.remove("tolerations");
    if (JsonTree.number(spec, 0, "terminationGracePeriodSeconds") <= 1) {
      spec.remove("terminationGracePeriodSeconds");
    }
    return spec;
  }
}
