package io.watchgate.e2e.differential;

import static io.watchgate.e2e.kube.Resource.CONFIGMAPS;
import static io.watchgate.e2e.kube.Resource.PODS;
import static io.watchgate.e2e.kube.Widgets.V1;
import static io.watchgate.e2e.kube.Widgets.V2;

import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.ServedType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Selection that is watched twice. A direct watch cannot select two namespaces, so it may have a
 * separate, equivalent field selector.
 */
record Query(
    Resource type, List<String> namespaces, String labels, String fields, String directFields) {

  /**
   * Queries that cover each kind of selection, including objects that match only for a short time.
   */
  static final List<Query> ALL =
      List.of(
          all(CONFIGMAPS),
          in(CONFIGMAPS, "d-a"),
          of(CONFIGMAPS, "app=web", ""),
          of(CONFIGMAPS, "app in (web,api),!canary", ""),
          of(CONFIGMAPS, "canary", ""),
          of(CONFIGMAPS, "app notin (db),tier!=3", ""),
          of(CONFIGMAPS, "tier>4", "metadata.namespace!=d-b"),
          of(CONFIGMAPS, "", "metadata.name=n-7"),
          all(PODS),
          new Query(PODS, List.of("d-a", "d-b"), "", "", "metadata.namespace!=d-c"),
          of(PODS, "app=web", ""),
          of(PODS, "", "spec.nodeName=node-1"),
          of(PODS, "", "spec.nodeName="),
          of(PODS, "", "status.phase=Running"),
          of(PODS, "app!=db", "status.phase!=Running,spec.nodeName!=node-2"),
          of(PODS, "tier<5,canary=yes", ""),
          of(PODS, "", "metadata.namespace=d-c,spec.restartPolicy=Never"),
          all(V1),
          in(V1, "d-b"),
          of(V1, "", "spec.color=red"),
          of(V1, "", "spec.color="),
          of(V1, "", "spec.size=3"),
          of(V1, "app=web", "spec.active=true"),
          of(V1, "", "spec.active!=true,spec.color!=blue"),
          of(V2, "app", ""));

  private static Query all(Resource type) {
    return of(type, "", "");
  }

  private static Query in(Resource type, String namespace) {
    return new Query(type, List.of(namespace), "", "", "");
  }

  private static Query of(Resource type, String labels, String fields) {
    return new Query(type, List.of(), labels, fields, fields);
  }

  /** Returns whether every object of the type matches. */
  boolean isEverything() {
    return namespaces.isEmpty() && labels.isEmpty() && fields.isEmpty();
  }

  /** Returns the namespace of the direct watch, empty for all. */
  String directNamespace() {
    return namespaces.size() == 1 ? namespaces.getFirst() : "";
  }

  /** Returns the query parameters of the direct watch. */
  Map<String, String> directSelectors() {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (!labels.isEmpty()) {
      parameters.put("labelSelector", labels);
    }
    if (!directFields.isEmpty()) {
      parameters.put("fieldSelector", directFields);
    }
    return parameters;
  }

  /**
   * Returns the oldest version in the gateway's history of this type, 0 if it has none.
   *
   * @param answer the gateway's answer about all types
   */
  long oldestVersion(ListResourceTypesResponse answer) {
    ResourceType served = selection().getResourceType();
    return answer.getTypesList().stream()
        .filter(type -> type.getResourceType().equals(served))
        .map(ServedType::getOldestResourceVersion)
        .filter(version -> !version.isEmpty())
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElse(0);
  }

  Selection selection() {
    return Selection.newBuilder()
        .setResourceType(
            ResourceType.newBuilder()
                .setGroup(type.group())
                .setVersion(type.version())
                .setResource(type.plural()))
        .addAllNamespaces(namespaces)
        .setLabelSelector(labels)
        .setFieldSelector(fields)
        .build();
  }

  @Override
  public String toString() {
    return type.version()
        + " "
        + type.plural()
        + " "
        + namespaces
        + " ["
        + labels
        + "] ["
        + fields
        + "]";
  }
}
