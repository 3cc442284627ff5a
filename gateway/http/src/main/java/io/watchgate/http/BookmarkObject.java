package io.watchgate.http;

import static java.util.Map.entry;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Objects of bookmarks. An apiserver encodes an empty object of the type. So bookmarks also contain
 * the members that its encoder cannot omit although they are empty. Recorded from 1.36.3.
 */
final class BookmarkObject {
  private static final Map<String, String> STUBS =
      Map.ofEntries(
          entry(
              "events",
              ",\"involvedObject\":{},\"source\":{},\"firstTimestamp\":null,\"lastTimestamp\":null,\"eventTime\":null,\"reportingComponent\":\"\",\"reportingInstance\":\"\""),
          entry("limitranges", ",\"spec\":{\"limits\":null}"),
          entry("namespaces", ",\"spec\":{},\"status\":{}"),
          entry(
              "nodes",
              ",\"spec\":{},\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":0}},\"nodeInfo\":{\"machineID\":\"\",\"systemUUID\":\"\",\"bootID\":\"\",\"kernelVersion\":\"\",\"osImage\":\"\",\"containerRuntimeVersion\":\"\",\"kubeletVersion\":\"\",\"kubeProxyVersion\":\"\",\"operatingSystem\":\"\",\"architecture\":\"\"}}"),
          entry("persistentvolumeclaims", ",\"spec\":{\"resources\":{}},\"status\":{}"),
          entry("persistentvolumes", ",\"spec\":{},\"status\":{}"),
          entry("pods", ",\"spec\":{\"containers\":null},\"status\":{}"),
          entry("podtemplates", ",\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}"),
          entry("replicationcontrollers", ",\"spec\":{},\"status\":{\"replicas\":0}"),
          entry("resourcequotas", ",\"spec\":{},\"status\":{}"),
          entry("services", ",\"spec\":{},\"status\":{\"loadBalancer\":{}}"),
          entry("mutatingadmissionpolicies.admissionregistration.k8s.io", ",\"spec\":{}"),
          entry("mutatingadmissionpolicybindings.admissionregistration.k8s.io", ",\"spec\":{}"),
          entry(
              "validatingadmissionpolicies.admissionregistration.k8s.io",
              ",\"spec\":{},\"status\":{}"),
          entry("validatingadmissionpolicybindings.admissionregistration.k8s.io", ",\"spec\":{}"),
          entry(
              "customresourcedefinitions.apiextensions.k8s.io",
              ",\"spec\":{\"group\":\"\",\"names\":{\"plural\":\"\",\"kind\":\"\"},\"scope\":\"\",\"versions\":null},\"status\":{\"conditions\":null,\"acceptedNames\":{\"plural\":\"\",\"kind\":\"\"},\"storedVersions\":null}"),
          entry(
              "apiservices.apiregistration.k8s.io",
              ",\"spec\":{\"groupPriorityMinimum\":0,\"versionPriority\":0},\"status\":{}"),
          entry("controllerrevisions.apps", ",\"data\":null,\"revision\":0"),
          entry(
              "daemonsets.apps",
              ",\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}},\"updateStrategy\":{}},\"status\":{\"currentNumberScheduled\":0,\"numberMisscheduled\":0,\"desiredNumberScheduled\":0,\"numberReady\":0}"),
          entry(
              "deployments.apps",
              ",\"spec\":{\"replicas\":0,\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}},\"strategy\":{}},\"status\":{}"),
          entry(
              "replicasets.apps",
              ",\"spec\":{\"replicas\":0,\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}},\"status\":{\"replicas\":0}"),
          entry(
              "statefulsets.apps",
              ",\"spec\":{\"replicas\":0,\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}},\"serviceName\":\"\",\"updateStrategy\":{}},\"status\":{\"replicas\":0,\"availableReplicas\":0}"),
          entry(
              "horizontalpodautoscalers.autoscaling",
              ",\"spec\":{\"scaleTargetRef\":{\"kind\":\"\",\"name\":\"\"},\"maxReplicas\":0},\"status\":{\"desiredReplicas\":0,\"currentMetrics\":null}"),
          entry(
              "cronjobs.batch",
              ",\"spec\":{\"schedule\":\"\",\"jobTemplate\":{\"metadata\":{},\"spec\":{\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}}}},\"status\":{}"),
          entry(
              "jobs.batch",
              ",\"spec\":{\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}},\"status\":{}"),
          entry(
              "certificatesigningrequests.certificates.k8s.io",
              ",\"spec\":{\"request\":null,\"signerName\":\"\"},\"status\":{}"),
          entry("leases.coordination.k8s.io", ",\"spec\":{}"),
          entry(
              "endpointslices.discovery.k8s.io",
              ",\"addressType\":\"\",\"endpoints\":null,\"ports\":null"),
          entry(
              "events.events.k8s.io",
              ",\"eventTime\":null,\"regarding\":{},\"deprecatedSource\":{},\"deprecatedFirstTimestamp\":null,\"deprecatedLastTimestamp\":null"),
          entry(
              "flowschemas.flowcontrol.apiserver.k8s.io",
              ",\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"\"},\"matchingPrecedence\":0},\"status\":{}"),
          entry(
              "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
              ",\"spec\":{\"type\":\"\"},\"status\":{}"),
          entry("ingressclasses.networking.k8s.io", ",\"spec\":{}"),
          entry("ingresses.networking.k8s.io", ",\"spec\":{},\"status\":{\"loadBalancer\":{}}"),
          entry("ipaddresses.networking.k8s.io", ",\"spec\":{}"),
          entry("networkpolicies.networking.k8s.io", ",\"spec\":{\"podSelector\":{}}"),
          entry("servicecidrs.networking.k8s.io", ",\"spec\":{},\"status\":{}"),
          entry("runtimeclasses.node.k8s.io", ",\"handler\":\"\""),
          entry(
              "poddisruptionbudgets.policy",
              ",\"spec\":{},\"status\":{\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":0,\"expectedPods\":0}"),
          entry(
              "clusterrolebindings.rbac.authorization.k8s.io",
              ",\"roleRef\":{\"apiGroup\":\"\",\"kind\":\"\",\"name\":\"\"}"),
          entry("clusterroles.rbac.authorization.k8s.io", ",\"rules\":null"),
          entry(
              "rolebindings.rbac.authorization.k8s.io",
              ",\"roleRef\":{\"apiGroup\":\"\",\"kind\":\"\",\"name\":\"\"}"),
          entry("roles.rbac.authorization.k8s.io", ",\"rules\":null"),
          entry("deviceclasses.resource.k8s.io", ",\"spec\":{}"),
          entry(
              "resourceclaims.resource.k8s.io",
              ",\"spec\":{\"devices\":{\"requests\":null}},\"status\":{}"),
          entry(
              "resourceclaimtemplates.resource.k8s.io",
              ",\"spec\":{\"metadata\":{},\"spec\":{\"devices\":{\"requests\":null}}}"),
          entry(
              "resourceslices.resource.k8s.io",
              ",\"spec\":{\"driver\":\"\",\"pool\":{\"name\":\"\",\"generation\":0,\"resourceSliceCount\":0}}"),
          entry("priorityclasses.scheduling.k8s.io", ",\"value\":0"),
          entry("csidrivers.storage.k8s.io", ",\"spec\":{}"),
          entry("csinodes.storage.k8s.io", ",\"spec\":{\"drivers\":null}"),
          entry("csistoragecapacities.storage.k8s.io", ",\"storageClassName\":\"\""),
          entry("storageclasses.storage.k8s.io", ",\"provisioner\":\"\""),
          entry(
              "volumeattachments.storage.k8s.io",
              ",\"spec\":{\"attacher\":\"\",\"source\":{},\"nodeName\":\"\"},\"status\":{\"attached\":false}"),
          entry("volumeattributesclasses.storage.k8s.io", ",\"driverName\":\"\""));

  private final String head;
  private final String tail;
  private final Kind kind;

  /** Meaning of a bookmark besides its version. */
  enum Mark {
    PROGRESS,
    INITIAL_EVENTS_END
  }

  private enum Kind {
    BUILT_IN,
    CUSTOM
  }

  BookmarkObject(TypeDefinition definition) {
    ApiResource type = definition.type();
    kind = definition.isCustom() ? Kind.CUSTOM : Kind.BUILT_IN;
    head =
        switch (kind) {
          case BUILT_IN ->
              "{\"kind\":\"%s\",\"apiVersion\":\"%s\"".formatted(type.kind(), type.apiVersion());
          case CUSTOM ->
              "{\"apiVersion\":\"%2$s\",\"kind\":\"%1$s\""
                  .formatted(type.kind(), type.apiVersion());
        };
    tail =
        switch (kind) {
          case BUILT_IN -> STUBS.getOrDefault(type.groupResource(), "") + "}";
          case CUSTOM -> "}";
        };
  }

  byte[] at(ResourceVersion version, Mark mark) {
    String annotation =
        switch (mark) {
          case PROGRESS -> "";
          case INITIAL_EVENTS_END -> "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
        };
    String position = "\"resourceVersion\":\"" + version + "\"";
    String comma = annotation.isEmpty() ? "" : ",";
    String metadata =
        switch (kind) {
          case BUILT_IN -> position + comma + annotation;
          case CUSTOM -> annotation + comma + position; // sorted
        };
    return (head + ",\"metadata\":{" + metadata + "}" + tail).getBytes(StandardCharsets.UTF_8);
  }
}
