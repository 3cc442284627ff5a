package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Cluster;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Request of one user for one selection.
 *
 * @param named name of the type: its plural, kind, singular or short name
 * @param namespaces none: all, or a type without namespaces
 */
record Question(
    ComparedUser user,
    Type type,
    String named,
    List<String> namespaces,
    String labelSelector,
    String fieldSelector) {

  Question {
    namespaces = List.copyOf(namespaces);
  }

  /** Decision of the apiserver; both of its status codes are either 200 or 403. */
  record Truth(boolean mayList, boolean mayWatch) {
    String ofWatch() {
      return mayList && mayWatch ? Decision.OPENED : Decision.DENIED;
    }

    String ofList() {
      return mayList ? Decision.OPENED : Decision.DENIED;
    }
  }

  /** Asks the apiserver for each of the namespaces, with the user's own credentials. */
  Truth ask() {
    Map<String, String> parameters = new HashMap<>();
    if (!labelSelector.isEmpty()) {
      parameters.put("labelSelector", labelSelector);
    }
    if (!fieldSelector.isEmpty()) {
      parameters.put("fieldSelector", fieldSelector);
    }
    boolean mayList = true;
    boolean mayWatch = true;
    for (String namespace : namespaces.isEmpty() ? List.of("") : namespaces) {
      mayList &= isAllowed(user.direct().answerToList(type.resource(), namespace, parameters));
      mayWatch &= isAllowed(user.direct().answerToWatch(type.resource(), namespace, parameters));
    }
    return new Truth(mayList, mayWatch);
  }

  /**
   * Asks the gateway over the Kubernetes read API, for each of the namespaces, and returns where it
   * answers differently than the apiserver.
   *
   * @param tally gets the sources of the answers
   */
  List<String> differencesOverHttp(Map<String, LongAdder> tally) {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("resourceVersion", "0");
    if (!labelSelector.isEmpty()) {
      parameters.put("labelSelector", labelSelector);
    }
    if (!fieldSelector.isEmpty()) {
      parameters.put("fieldSelector", fieldSelector);
    }
    List<String> differences = new ArrayList<>();
    for (String namespace : namespaces.isEmpty() ? List.of("") : namespaces) {
      int list = user.direct().answerToList(type.resource(), namespace, parameters);
      Cluster.Reply listed = user.proxied().sendList(type.resource(), namespace, parameters);
      tally
          .computeIfAbsent(
              "list over HTTP from " + listed.header("Watchgate-Source"), key -> new LongAdder())
          .increment();
      if (listed.code() != list) {
        differences.add(this + ": a list in '" + namespace + "' is " + list + ", not " + listed);
      }
      int watch = user.direct().answerToWatch(type.resource(), namespace, parameters);
      int watched = user.proxied().answerToWatch(type.resource(), namespace, parameters);
      if (watched != watch) {
        differences.add(this + ": a watch in '" + namespace + "' is " + watch + ", not " + watched);
      }
    }
    return differences;
  }

  private boolean isAllowed(int code) {
    return switch (code) {
      case 200 -> true;
      case 403 -> false;
      default -> throw new AssertionError("the apiserver answered " + this + " with " + code);
    };
  }

  private Selection selection() {
    return Selection.newBuilder()
        .setResourceType(
            ResourceType.newBuilder()
                .setGroup(type.resource().group())
                // The preferred version of widgets is another one, without selectable fields.
                .setVersion(type.equals(Type.WIDGETS) ? type.resource().version() : "")
                .setResource(named))
        .addAllNamespaces(namespaces)
        .setLabelSelector(labelSelector)
        .setFieldSelector(fieldSelector)
        .build();
  }

  String watch() {
    return Decision.watch(
        user.gateway(), ListAndWatchRequest.newBuilder().setSelection(selection()).build());
  }

  String list() {
    return Decision.list(
        user.gateway(),
        ListObjectsRequest.newBuilder().setSelection(selection()).setPageSize(1).build());
  }

  /** Returns whether the request selects one object by its name. */
  boolean isByName() {
    return fieldSelector.startsWith("metadata.name=") || fieldSelector.contains(",metadata.name=");
  }

  @Override
  public String toString() {
    return user
        + " asks for "
        + named
        + "."
        + type.resource().group()
        + (namespaces.isEmpty() ? "" : " in " + namespaces)
        + (labelSelector.isEmpty() ? "" : " where " + labelSelector)
        + (fieldSelector.isEmpty() ? "" : " with " + fieldSelector);
  }
}
