package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.List;

/** Pods. */
final class PodRules extends TypeRules {
  private static final String UNCHANGEABLE =
      "pod updates may not change fields other than `spec.containers[*].image`,"
          + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only"
          + " additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to"
          + " be set to 1 if it was previously negative)";

  PodRules() {
    super(
        NameRule.SUBDOMAIN,
        Trait.GENERATION,
        Trait.ANSWERS_DELETED,
        Trait.STATUS,
        Trait.STATUS_WITH_METADATA,
        Trait.GRACE);
  }

  @Override
  void defaults(JsonObject pod) {
    JsonObject spec = Tree.objectOrNew(pod, "spec");
    PodSpecs.defaults(spec);
    PodSpecs.requestWhatIsLimited(spec);
    PodSpecs.tolerateFailingNodes(spec);
    Tree.defaultTo(spec, "priority", 0);
    Tree.defaultTo(spec, "enableServiceLinks", true);
    Tree.defaultTo(spec, "preemptionPolicy", "PreemptLowerPriority");
    Conditions.defaults(pod, "lastProbeTime", "lastTransitionTime");
  }

  @Override
  void prepareCreate(JsonObject pod, Allocations allocations) {
    JsonObject status = new JsonObject();
    status.addProperty("phase", "Pending");
    status.addProperty("qosClass", PodSpecs.qualityOfService(Tree.objectOrNew(pod, "spec")));
    pod.add("status", status);
  }

  @Override
  void validate(JsonObject pod, Invalid invalid) {
    PodSpecs.validate(Tree.objectOrNew(pod, "spec"), "spec", invalid);
  }

  @Override
  void validateUpdate(JsonObject now, JsonObject old, Invalid invalid) {
    JsonObject wanted = fixed(now);
    JsonObject held = fixed(old);
    boolean added =
        Tree.objects(now, "spec", "tolerations")
            .containsAll(Tree.objects(old, "spec", "tolerations"));
    if (!Objects.same(wanted, held) || !added) {
      invalid.forbidden("spec", UNCHANGEABLE);
    }
  }

  /** What of a pod may not change. */
  private static JsonObject fixed(JsonObject pod) {
    JsonObject spec = Tree.objectOrNew(pod, "spec").deepCopy();
    for (String kind : List.of("containers", "initContainers")) {
      Tree.objects(spec, kind).forEach(container -> container.remove("image"));
    }
    spec.remove("activeDeadlineSeconds");
    spec.remove("tolerations");
    if (Tree.number(spec, 0, "terminationGracePeriodSeconds") <= 1) {
      spec.remove("terminationGracePeriodSeconds");
    }
    return spec;
  }
}
