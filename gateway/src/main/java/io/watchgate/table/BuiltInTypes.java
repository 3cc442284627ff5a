package io.watchgate.table;

import java.util.List;

/**
 * The columns of the built-in types: names, types and cells as the apiserver has them (1.36,
 * pkg/printers/internalversion); a test against a real one compares them.
 */
final class BuiltInTypes {
  private BuiltInTypes() {}

  static boolean isOne(String apiVersion, String kind) {
    return !fields(apiVersion, kind).equals(OTHER);
  }

  static List<Field> fields(String apiVersion, String kind) {
    return switch (apiVersion + " " + kind) {
      case "v1 Namespace" -> NAMESPACE;
      case "v1 Pod" -> PodFields.POD;
      case "v1 Node" -> NodeFields.NODE;
      case "v1 Service" -> ServiceFields.SERVICE;
      case "discovery.k8s.io/v1 EndpointSlice" -> ServiceFields.ENDPOINT_SLICE;
      case "v1 ConfigMap" -> CONFIG_MAP;
      case "v1 Secret" -> SECRET;
      case "v1 Event", "events.k8s.io/v1 Event" -> EventFields.EVENT;
      case "apps/v1 Deployment" -> WorkloadFields.DEPLOYMENT;
      case "apps/v1 ReplicaSet" -> WorkloadFields.REPLICA_SET;
      case "apps/v1 StatefulSet" -> WorkloadFields.STATEFUL_SET;
      case "apps/v1 DaemonSet" -> WorkloadFields.DAEMON_SET;
      case "batch/v1 Job" -> JobFields.JOB;
      case "batch/v1 CronJob" -> JobFields.CRON_JOB;
      case "coordination.k8s.io/v1 Lease" -> LEASE;
      case "v1 ServiceAccount" -> List.of(Field.name(), Field.age());
      case "apiextensions.k8s.io/v1 CustomResourceDefinition" -> DEFINITION;
      default -> OTHER;
    };
  }

  private static final List<Field> NAMESPACE =
      List.of(
          Field.name(),
          Field.of(
              "Status",
              "Whether it is in use or being deleted.",
              namespace -> namespace.get("status", "phase").text()),
          Field.age());

  private static final List<Field> CONFIG_MAP =
      List.of(
          Field.name(),
          Field.of(
              "Data", "string", "How many entries it has.", Field.entries("data", "binaryData")),
          Field.age());

  private static final List<Field> SECRET =
      List.of(
          Field.name(),
          Field.of("Type", "What its entries mean.", secret -> secret.get("type").text()),
          Field.of("Data", "string", "How many entries it has.", Field.entries("data")),
          Field.age());

  private static final List<Field> LEASE =
      List.of(
          Field.name(),
          Field.of("Holder", "Who holds it.", lease -> lease.get("spec", "holderIdentity").text()),
          Field.age());

  private static final List<Field> DEFINITION =
      List.of(
          Field.name(),
          Field.of(
              "Created At",
              "date",
              "When it was created.",
              Field.text(definition -> definition.get("metadata", "creationTimestamp").text())));

  /** As a custom resource without columns of its own has it. */
  private static final List<Field> OTHER =
      List.of(
          Field.name(),
          Field.of(
              "Age",
              "date",
              "How long ago the object was created.",
              Field.since("metadata", "creationTimestamp")));
}
