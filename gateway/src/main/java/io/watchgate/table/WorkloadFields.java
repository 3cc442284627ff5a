package io.watchgate.table;

import java.util.List;

/** The columns of what keeps pods running. */
final class WorkloadFields {
  private WorkloadFields() {}

  static final List<Field> DEPLOYMENT =
      List.of(
          Field.name(),
          Field.of("Ready", "Pods that are ready, of those wanted.", WorkloadFields::ready),
          upToDate("string", "updatedReplicas"),
          available("string", "availableReplicas"),
          Field.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          Field.of(
                  "Selector",
                  "The labels of its pods.",
                  deployment -> Texts.selector(deployment.get("spec", "selector")))
              .wide());

  static final List<Field> REPLICA_SET =
      List.of(
          Field.name(),
          Field.count("Desired", "How many pods are wanted.", "spec", "replicas"),
          Field.count("Current", "How many pods there are.", "status", "replicas"),
          Field.count("Ready", "How many pods are ready.", "status", "readyReplicas"),
          Field.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          selector("spec", "selector"));

  static final List<Field> STATEFUL_SET =
      List.of(
          Field.name(),
          Field.of("Ready", "Pods that are ready, of those wanted.", WorkloadFields::ready),
          Field.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"));

  static final List<Field> DAEMON_SET =
      List.of(
          Field.name(),
          Field.count("Desired", "On how many nodes.", "status", "desiredNumberScheduled"),
          Field.count("Current", "How many pods there are.", "status", "currentNumberScheduled"),
          Field.count("Ready", "How many pods are ready.", "status", "numberReady"),
          upToDate("integer", "updatedNumberScheduled"),
          available("integer", "numberAvailable"),
          Field.of(
              "Node Selector",
              "The labels of its nodes.",
              set -> Texts.labels(set.get("spec", "template", "spec", "nodeSelector"))),
          Field.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          selector("spec", "selector"));

  static Field containers(String... path) {
    return Field.of(
            "Containers", "Their names.", workload -> Texts.joined(workload.get(path), "name"))
        .wide();
  }

  static Field images(String... path) {
    return Field.of(
            "Images", "Their images.", workload -> Texts.joined(workload.get(path), "image"))
        .wide();
  }

  static Field selector(String... path) {
    return Field.of(
            "Selector",
            "The labels of its pods.",
            workload -> Texts.orNone(Texts.selector(workload.get(path))))
        .wide();
  }

  private static Field upToDate(String type, String count) {
    return Field.of(
        "Up-to-date", type, "Pods of the newest template.", Field.number("status", count));
  }

  private static Field available(String type, String count) {
    return Field.of(
        "Available",
        type,
        "Pods that have been ready for long enough.",
        Field.number("status", count));
  }

  private static String ready(JsonView workload) {
    return workload.get("status", "readyReplicas").number()
        + "/"
        + workload.get("spec", "replicas").number();
  }
}
