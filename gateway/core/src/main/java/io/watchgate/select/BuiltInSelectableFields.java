package io.watchgate.select;

import io.watchgate.cache.ApiResource;
import io.watchgate.labels.GoStrings;

/**
 * Selectable fields of Kubernetes 1.36, type by type. The functions that each API group registers
 * with {@code AddFieldLabelConversionFunc} define the labels. {@code ToSelectableFields} of the
 * group's registry defines the compared values. Versions of a group do not differ.
 */
final class BuiltInSelectableFields {
  private static final String[] REFERENCE = {
    "apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"
  };

  private BuiltInSelectableFields() {}

  static SelectableFieldsBuilder of(ApiResource type) {
    SelectableFieldsBuilder table = new SelectableFieldsBuilder();
    return switch (type.groupResource()) {
      case "pods" ->
          table
              .nameAndNamespace()
              .paths("spec.nodeName", "spec.restartPolicy", "spec.schedulerName")
              .paths("spec.serviceAccountName", "status.phase", "status.podIP")
              .paths("status.nominatedNodeName")
              .path("spec.hostNetwork", "spec.hostNetwork", "false")
              .alwaysEmpty("status.podIPs")
              .alias("spec.host", "spec.nodeName");
      case "nodes" -> table.name().path("spec.unschedulable", "spec.unschedulable", "false");
      case "namespaces" -> table.name().paths("status.phase");
      case "services" -> table.nameAndNamespace().paths("spec.clusterIP", "spec.type");
      case "secrets" -> table.nameAndNamespace().paths("type");
      case "replicationcontrollers" ->
          table.nameAndNamespace().path("status.replicas", "status.replicas", "0");
      case "events" ->
          reference("involvedObject", table)
              .paths("reason", "reportingComponent", "type")
              .firstOf("source", "source.component", "reportingComponent");
      case "events.events.k8s.io" ->
          reference("regarding", table).paths("reason", "reportingController", "type");
      case "jobs.batch" ->
          table
              .nameAndNamespace()
              .path("status.successful", "status.succeeded", "0")
              .unknownFieldError(
                  label -> "field label " + GoStrings.quote(label) + " not supported for Job");
      case "certificatesigningrequests.certificates.k8s.io",
          "clustertrustbundles.certificates.k8s.io" ->
          table.name().paths("spec.signerName");
      case "podcertificaterequests.certificates.k8s.io" ->
          table.name().paths("spec.nodeName", "spec.podName", "spec.signerName");
      case "resourceslices.resource.k8s.io" ->
          table
              .name()
              .paths("spec.driver", "spec.nodeName")
              .unknownFieldError(
                  label ->
                      "field label not supported for %s, Kind=%s: %s"
                          .formatted(type.apiVersion(), type.kind(), label));
      // Also cluster-scoped types: they accept metadata.namespace, which is empty.
      default ->
          table
              .nameAndNamespace()
              .unknownFieldError(
                  label ->
                      GoStrings.quote(label)
                          + " is not a known field selector: only \"metadata.name\","
                          + " \"metadata.namespace\"");
    };
  }

  private static SelectableFieldsBuilder reference(String field, SelectableFieldsBuilder table) {
    for (String member : REFERENCE) {
      table.paths(field + "." + member);
    }
    return table.nameAndNamespace();
  }
}
