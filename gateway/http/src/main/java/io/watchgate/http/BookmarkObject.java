package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.Upstream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Object in the frame of a bookmark. An apiserver encodes an empty object of the type, and its
 * encoder writes some members although they are empty. The object has the same members, as recorded
 * from 1.36.3.
 */
final class BookmarkObject {
  /** The name of a type, a space, and the members of its empty object after the metadata. */
  private static final Map<String, String> STUBS =
      """
      events "involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""
      limitranges "spec":{"limits":null}
      namespaces "spec":{},"status":{}
      nodes "spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}
      persistentvolumeclaims "spec":{"resources":{}},"status":{}
      persistentvolumes "spec":{},"status":{}
      pods "spec":{"containers":null},"status":{}
      podtemplates "template":{"metadata":{},"spec":{"containers":null}}
      replicationcontrollers "spec":{},"status":{"replicas":0}
      resourcequotas "spec":{},"status":{}
      services "spec":{},"status":{"loadBalancer":{}}
      mutatingadmissionpolicies.admissionregistration.k8s.io "spec":{}
      mutatingadmissionpolicybindings.admissionregistration.k8s.io "spec":{}
      validatingadmissionpolicies.admissionregistration.k8s.io "spec":{},"status":{}
      validatingadmissionpolicybindings.admissionregistration.k8s.io "spec":{}
      customresourcedefinitions.apiextensions.k8s.io "spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":null},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}
      apiservices.apiregistration.k8s.io "spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}
      controllerrevisions.apps "data":null,"revision":0
      daemonsets.apps "spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"updateStrategy":{}},"status":{"currentNumberScheduled":0,"numberMisscheduled":0,"desiredNumberScheduled":0,"numberReady":0}
      deployments.apps "spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}
      replicasets.apps "spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}
      statefulsets.apps "spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"serviceName":"","updateStrategy":{}},"status":{"replicas":0,"availableReplicas":0}
      horizontalpodautoscalers.autoscaling "spec":{"scaleTargetRef":{"kind":"","name":""},"maxReplicas":0},"status":{"desiredReplicas":0,"currentMetrics":null}
      cronjobs.batch "spec":{"schedule":"","jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}}}},"status":{}
      jobs.batch "spec":{"template":{"metadata":{},"spec":{"containers":null}}},"status":{}
      certificatesigningrequests.certificates.k8s.io "spec":{"request":null,"signerName":""},"status":{}
      leases.coordination.k8s.io "spec":{}
      endpointslices.discovery.k8s.io "addressType":"","endpoints":null,"ports":null
      events.events.k8s.io "eventTime":null,"regarding":{},"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null
      flowschemas.flowcontrol.apiserver.k8s.io "spec":{"priorityLevelConfiguration":{"name":""},"matchingPrecedence":0},"status":{}
      prioritylevelconfigurations.flowcontrol.apiserver.k8s.io "spec":{"type":""},"status":{}
      ingressclasses.networking.k8s.io "spec":{}
      ingresses.networking.k8s.io "spec":{},"status":{"loadBalancer":{}}
      ipaddresses.networking.k8s.io "spec":{}
      networkpolicies.networking.k8s.io "spec":{"podSelector":{}}
      servicecidrs.networking.k8s.io "spec":{},"status":{}
      runtimeclasses.node.k8s.io "handler":""
      poddisruptionbudgets.policy "spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}
      clusterrolebindings.rbac.authorization.k8s.io "roleRef":{"apiGroup":"","kind":"","name":""}
      clusterroles.rbac.authorization.k8s.io "rules":null
      rolebindings.rbac.authorization.k8s.io "roleRef":{"apiGroup":"","kind":"","name":""}
      roles.rbac.authorization.k8s.io "rules":null
      deviceclasses.resource.k8s.io "spec":{}
      resourceclaims.resource.k8s.io "spec":{"devices":{"requests":null}},"status":{}
      resourceclaimtemplates.resource.k8s.io "spec":{"metadata":{},"spec":{"devices":{"requests":null}}}
      resourceslices.resource.k8s.io "spec":{"driver":"","pool":{"name":"","generation":0,"resourceSliceCount":0}}
      priorityclasses.scheduling.k8s.io "value":0
      csidrivers.storage.k8s.io "spec":{}
      csinodes.storage.k8s.io "spec":{"drivers":null}
      csistoragecapacities.storage.k8s.io "storageClassName":""
      storageclasses.storage.k8s.io "provisioner":""
      volumeattachments.storage.k8s.io "spec":{"attacher":"","source":{},"nodeName":""},"status":{"attached":false}
      volumeattributesclasses.storage.k8s.io "driverName":""
      """
          .lines()
          .map(line -> line.split(" ", 2))
          .collect(Collectors.toUnmodifiableMap(stub -> stub[0], stub -> "," + stub[1]));

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
          case INITIAL_EVENTS_END ->
              "\"annotations\":{\"" + Upstream.INITIAL_EVENTS_END + "\":\"true\"}";
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
