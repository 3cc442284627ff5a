package io.watchgate.table;

import java.util.List;

/**
 * Lookup of the columns of a built-in type, and the columns of the types that have no class of
 * their own. Names, types and cells of the listed types are as in the apiserver (1.36,
 * pkg/printers/internalversion). A test compares them with a real apiserver.
 */
final class BuiltInColumns {
  private BuiltInColumns() {}

  static boolean hasBuiltInColumns(String apiVersion, String kind) {
    return !fields(apiVersion, kind).equals(OTHER);
  }

  static List<TableColumn> fields(String apiVersion, String kind) {
    return switch (apiVersion + " " + kind) {
      case "v1 Namespace" -> NAMESPACE;
      case "v1 Pod" -> PodColumns.POD;
      case "v1 Node" -> NodeColumns.NODE;
      case "v1 Service" -> ServiceColumns.SERVICE;
      case "discovery.k8s.io/v1 EndpointSlice" -> ServiceColumns.ENDPOINT_SLICE;
      case "v1 ConfigMap" -> CONFIG_MAP;
      case "v1 Secret" -> SECRET;
      case "v1 Event", "events.k8s.io/v1 Event" -> EventColumns.EVENT;
      case "apps/v1 Deployment" -> WorkloadColumns.DEPLOYMENT;
      case "apps/v1 ReplicaSet" -> WorkloadColumns.REPLICA_SET;
      case "apps/v1 StatefulSet" -> WorkloadColumns.STATEFUL_SET;
      case "apps/v1 DaemonSet" -> WorkloadColumns.DAEMON_SET;
      case "batch/v1 Job" -> JobColumns.JOB;
      case "batch/v1 CronJob" -> JobColumns.CRON_JOB;
      case "coordination.k8s.io/v1 Lease" -> LEASE;
      case "v1 ServiceAccount" -> List.of(TableColumn.name(), TableColumn.age());
      case "apiextensions.k8s.io/v1 CustomResourceDefinition" -> DEFINITION;
      default -> OTHER;
    };
  }

  private static final List<TableColumn> NAMESPACE =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Status",
              "Phase of the namespace: Active or Terminating.",
              namespace -> namespace.get("status", "phase").text()),
          TableColumn.age());

  private static final List<TableColumn> CONFIG_MAP =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Data", "string", "Number of entries.", TableColumn.entries("data", "binaryData")),
          TableColumn.age());

  private static final List<TableColumn> SECRET =
      List.of(
          TableColumn.name(),
          TableColumn.of("Type", "Type of the secret.", secret -> secret.get("type").text()),
          TableColumn.of("Data", "string", "Number of entries.", TableColumn.entries("data")),
          TableColumn.age());

  private static final List<TableColumn> LEASE =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Holder",
              "Identity of the holder.",
              lease -> lease.get("spec", "holderIdentity").text()),
          TableColumn.age());

  private static final List<TableColumn> DEFINITION =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Created At",
              "date",
              "Time of creation.",
              TableColumn.text(
                  definition -> definition.get("metadata", "creationTimestamp").text())));

  /**
   * Columns of every type that is not listed: custom resources without columns of their own, and
   * the remaining built-in types.
   */
  private static final List<TableColumn> OTHER =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Age",
              "date",
              "Time since the object was created.",
              TableColumn.since("metadata", "creationTimestamp")));
}
