package io.watchgate.e2e.access;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * Request of one user for one selection.
 *
 * @param named name of the type: its plural, kind, singular or short name
 * @param namespaces none: all, or a type without namespaces
 * @param name name of an object for a get
 */
record Question(
    ComparedUser user,
    Type type,
    String named,
    List<String> namespaces,
    String labelSelector,
    String fieldSelector,
    String name) {

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

  /** Form of a read over HTTP, as the code and the source of an answer to it. */
  private record HttpForm(String name, Map<String, String> parameters, Sending sending) {
    /** Function that sends the read for one namespace. */
    interface Sending {
      Cluster.Reply send(Cluster to, Question question, String namespace, Map<String, String> all);
    }
  }

  private static final Map<String, String> CACHED = Map.of("resourceVersion", "0");

  private static final List<HttpForm> HTTP_FORMS =
      List.of(
          new HttpForm(
              "list",
              CACHED,
              (to, question, namespace, all) -> to.sendList(question.resource(), namespace, all)),
          new HttpForm(
              "list as of now",
              Map.of(),
              (to, question, namespace, all) ->
                  to.sendGet(question.resource(), namespace, "", all, "application/json")),
          new HttpForm(
              "list of metadata",
              CACHED,
              (to, question, namespace, all) ->
                  to.sendGet(
                      question.resource(),
                      namespace,
                      "",
                      all,
                      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")),
          new HttpForm(
              "watch",
              CACHED,
              (to, question, namespace, all) -> to.sendWatch(question.resource(), namespace, all)),
          new HttpForm(
              "streaming list",
              Map.of(
                  "sendInitialEvents", "true",
                  "resourceVersionMatch", "NotOlderThan",
                  "allowWatchBookmarks", "true"),
              (to, question, namespace, all) -> to.sendWatch(question.resource(), namespace, all)),
          new HttpForm(
              "get",
              CACHED,
              (to, question, namespace, all) ->
                  to.sendGet(
                      question.resource(), namespace, question.name, CACHED, "application/json")));

  private Resource resource() {
    return type.resource();
  }

  /**
   * Asks the gateway over the Kubernetes read API in each form and for each of the namespaces, and
   * returns where it answers differently than the apiserver.
   *
   * @param tally gets the sources of the answers
   */
  List<String> differencesOverHttp(Map<String, LongAdder> tally) {
    List<String> differences = new ArrayList<>();
    for (HttpForm form : HTTP_FORMS) {
      Map<String, String> parameters = new HashMap<>(form.parameters);
      if (!labelSelector.isEmpty()) {
        parameters.put("labelSelector", labelSelector);
      }
      if (!fieldSelector.isEmpty()) {
        parameters.put("fieldSelector", fieldSelector);
      }
      for (String namespace : namespaces.isEmpty() ? List.of("") : namespaces) {
        if (form.name.equals("get") && namespace.isEmpty() && type.isNamespaced()) {
          continue; // an object has a namespace
        }
        Cluster.Reply direct = form.sending.send(user.direct(), this, namespace, parameters);
        Cluster.Reply proxied = form.sending.send(user.proxied(), this, namespace, parameters);
        tally
            .computeIfAbsent(
                form.name + " over HTTP from " + proxied.header("Watchgate-Source"),
                key -> new LongAdder())
            .increment();
        Set<String> objects = objects(direct);
        if (proxied.code() != direct.code() || !objects(proxied).equals(objects)) {
          differences.add(
              "%s: a %s in '%s' is %d with %s, not %s"
                  .formatted(this, form.name, namespace, direct.code(), objects, proxied));
        }
        if (!objects.isEmpty()) {
          tally.computeIfAbsent("answer with objects", key -> new LongAdder()).increment();
        }
      }
    }
    return differences;
  }

  /** Returns namespace, name and uid of each object of an answer; empty for watches and errors. */
  private static Set<String> objects(Cluster.Reply reply) {
    if (reply.code() != 200 || reply.body().isEmpty()) {
      return Set.of();
    }
    JsonNode body = Json.parse(reply.body());
    Set<String> objects = new TreeSet<>();
    for (JsonNode object : body.has("items") ? body.get("items") : List.of(body)) {
      JsonNode metadata = object.get("metadata");
      objects.add(
          metadata.path("namespace").asText()
              + "/"
              + metadata.get("name").asText()
              + " "
              + metadata.get("uid").asText());
    }
    return objects;
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
