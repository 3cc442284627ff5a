package io.watchgate.cli.deploy;

import io.watchgate.kube.EditDistance;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Watchable resource type of every apiserver, known without a request: Kubernetes 1.36. A test
 * compares the types with a real apiserver.
 *
 * @param group empty for the core group
 * @param plural {@code deployments}
 * @param names the other names: the singular, which is the kind in lower case, and short names
 */
record BuiltInResource(String group, String plural, List<String> names) {
  /** One or more lines for each group; names of one type are separated by slashes. */
  static final List<BuiltInResource> ALL =
      """
      - configmaps/configmap/cm endpoints/ep events/event/ev limitranges/limitrange/limits
      - namespaces/namespace/ns nodes/node/no persistentvolumeclaims/persistentvolumeclaim/pvc
      - persistentvolumes/persistentvolume/pv pods/pod/po podtemplates/podtemplate
      - replicationcontrollers/replicationcontroller/rc resourcequotas/resourcequota/quota
      - secrets/secret serviceaccounts/serviceaccount/sa services/service/svc
      admissionregistration.k8s.io mutatingadmissionpolicies/mutatingadmissionpolicy
      admissionregistration.k8s.io mutatingadmissionpolicybindings/mutatingadmissionpolicybinding
      admissionregistration.k8s.io mutatingwebhookconfigurations/mutatingwebhookconfiguration
      admissionregistration.k8s.io validatingadmissionpolicies/validatingadmissionpolicy
      admissionregistration.k8s.io validatingadmissionpolicybindings/validatingadmissionpolicybinding
      admissionregistration.k8s.io validatingwebhookconfigurations/validatingwebhookconfiguration
      apiextensions.k8s.io customresourcedefinitions/customresourcedefinition/crd/crds
      apiregistration.k8s.io apiservices/apiservice
      apps controllerrevisions/controllerrevision daemonsets/daemonset/ds
      apps deployments/deployment/deploy replicasets/replicaset/rs statefulsets/statefulset/sts
      autoscaling horizontalpodautoscalers/horizontalpodautoscaler/hpa
      batch cronjobs/cronjob/cj jobs/job
      certificates.k8s.io certificatesigningrequests/certificatesigningrequest/csr
      coordination.k8s.io leases/lease
      discovery.k8s.io endpointslices/endpointslice
      events.k8s.io events/event/ev
      flowcontrol.apiserver.k8s.io flowschemas/flowschema
      flowcontrol.apiserver.k8s.io prioritylevelconfigurations/prioritylevelconfiguration
      networking.k8s.io ingresses/ingress/ing ingressclasses/ingressclass ipaddresses/ipaddress/ip
      networking.k8s.io networkpolicies/networkpolicy/netpol servicecidrs/servicecidr
      node.k8s.io runtimeclasses/runtimeclass
      policy poddisruptionbudgets/poddisruptionbudget/pdb
      rbac.authorization.k8s.io clusterrolebindings/clusterrolebinding clusterroles/clusterrole
      rbac.authorization.k8s.io rolebindings/rolebinding roles/role
      resource.k8s.io deviceclasses/deviceclass resourceclaims/resourceclaim
      resource.k8s.io resourceclaimtemplates/resourceclaimtemplate resourceslices/resourceslice
      scheduling.k8s.io priorityclasses/priorityclass/pc
      storage.k8s.io csidrivers/csidriver csinodes/csinode storageclasses/storageclass/sc
      storage.k8s.io csistoragecapacities/csistoragecapacity volumeattachments/volumeattachment
      storage.k8s.io volumeattributesclasses/volumeattributesclass/vac
      """
          .lines()
          .flatMap(BuiltInResource::line)
          .toList();

  private static Stream<BuiltInResource> line(String line) {
    List<String> words = List.of(line.split(" "));
    String group = words.getFirst().equals("-") ? "" : words.getFirst();
    return words.stream()
        .skip(1)
        .map(word -> Arrays.asList(word.split("/")))
        .map(names -> new BuiltInResource(group, names.getFirst(), names.subList(1, names.size())));
  }

  static boolean isGroup(String group) {
    return ALL.stream().anyMatch(resource -> resource.group.equals(group));
  }

  /** Returns the type with that plural; the core group takes precedence. */
  static Optional<BuiltInResource> ofPlural(String plural) {
    return ALL.stream().filter(resource -> resource.plural.equals(plural)).findFirst();
  }

  /** Returns at most three types that have this name or a similar plural, the best match first. */
  static List<BuiltInResource> similar(String name) {
    return EditDistance.nearest(name, ALL, resource -> resource.distance(name));
  }

  private int distance(String name) {
    return names.contains(name) ? 0 : EditDistance.between(name, plural);
  }

  RbacResource toRbacResource() {
    return new RbacResource(group, plural);
  }
}
