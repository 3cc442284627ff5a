package io.watchgate.table;

import java.util.List;

/** Columns of workloads. */
final class WorkloadColumns {
  private WorkloadColumns() {}

  static final List<TableColumn> DEPLOYMENT =
      List.of(
          TableColumn.name(),
          TableColumn.of("Ready", "Ready pods of the wanted ones.", WorkloadColumns::ready),
          upToDate("string", "updatedReplicas"),
          available("string", "availableReplicas"),
          TableColumn.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          TableColumn.of(
                  "Selector",
                  "Label selector of the pods.",
                  deployment -> CellText.selector(deployment.get("spec", "selector")))
              .wide());

  static final List<TableColumn> REPLICA_SET =
      List.of(
          TableColumn.name(),
          TableColumn.count("Desired", "Number of wanted pods.", "spec", "replicas"),
          TableColumn.count("Current", "Number of existing pods.", "status", "replicas"),
          TableColumn.count("Ready", "Number of ready pods.", "status", "readyReplicas"),
          TableColumn.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          selector("spec", "selector"));

  static final List<TableColumn> STATEFUL_SET =
      List.of(
          TableColumn.name(),
          TableColumn.of("Ready", "Ready pods of the wanted ones.", WorkloadColumns::ready),
          TableColumn.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"));

  static final List<TableColumn> DAEMON_SET =
      List.of(
          TableColumn.name(),
          TableColumn.count(
              "Desired",
              "Number of nodes that should run a pod.",
              "status",
              "desiredNumberScheduled"),
          TableColumn.count(
              "Current", "Number of existing pods.", "status", "currentNumberScheduled"),
          TableColumn.count("Ready", "Number of ready pods.", "status", "numberReady"),
          upToDate("integer", "updatedNumberScheduled"),
          available("integer", "numberAvailable"),
          TableColumn.of(
              "Node Selector",
              "Label selector of the nodes.",
              set -> CellText.labels(set.get("spec", "template", "spec", "nodeSelector"))),
          TableColumn.age(),
          containers("spec", "template", "spec", "containers"),
          images("spec", "template", "spec", "containers"),
          selector("spec", "selector"));

  static TableColumn containers(String... path) {
    return TableColumn.of(
            "Containers",
            "Names of the containers.",
            workload -> CellText.joined(workload.get(path), "name"))
        .wide();
  }

  static TableColumn images(String... path) {
    return TableColumn.of(
            "Images",
            "Images of the containers.",
            workload -> CellText.joined(workload.get(path), "image"))
        .wide();
  }

  static TableColumn selector(String... path) {
    return TableColumn.of(
            "Selector",
            "Label selector of the pods.",
            workload -> CellText.orNone(CellText.selector(workload.get(path))))
        .wide();
  }

  private static TableColumn upToDate(String type, String count) {
    return TableColumn.of(
        "Up-to-date", type, "Pods of the newest template.", TableColumn.number("status", count));
  }

  private static TableColumn available(String type, String count) {
    return TableColumn.of(
        "Available",
        type,
        "Pods that have been ready for long enough.",
        TableColumn.number("status", count));
  }

  private static String ready(JsonView workload) {
    return workload.get("status", "readyReplicas").number()
        + "/"
        + workload.get("spec", "replicas").number();
  }
}
