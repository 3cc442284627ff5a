package io.watchgate.e2e.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Projection and its expected result.
 *
 * @param body function that projects a tree of the object, which it may change; empty if no body is
 *     sent
 */
record ExpectedProjection(Projection projection, Optional<UnaryOperator<ObjectNode>> body) {
  private static final List<String> IDENTIFYING =
      List.of("name", "namespace", "uid", "resourceVersion");

  static Stream<ExpectedProjection> all() {
    return Stream.of(
        of(ObjectView.OBJECT_VIEW_FULL, object -> object),
        of(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS, ExpectedProjection::withoutManagedFields),
        of(
            ObjectView.OBJECT_VIEW_METADATA,
            object -> withoutManagedFields(object).retain("apiVersion", "kind", "metadata")),
        new ExpectedProjection(view(ObjectView.OBJECT_VIEW_KEY), Optional.empty()),
        including("/spec/nodeName"),
        including("/status", "/metadata/annotations/example.com~1owner"),
        including("/metadata"),
        including("/metadata/managedFields/0/manager", "/metadata/labels/absent"),
        including("/spec/containers/1/image", "/status/conditions/-", "/spec/containers/9"),
        including("/absent"));
  }

  private static Projection view(ObjectView view) {
    return Projection.newBuilder().setView(view).build();
  }

  private static ExpectedProjection of(ObjectView view, UnaryOperator<ObjectNode> body) {
    return new ExpectedProjection(view(view), Optional.of(body));
  }

  private static ObjectNode withoutManagedFields(ObjectNode object) {
    object.withObject("/metadata").remove("managedFields");
    return object;
  }

  private static ExpectedProjection including(String... pointers) {
    return new ExpectedProjection(
        Projection.newBuilder().addAllIncludePointers(List.of(pointers)).build(),
        Optional.of(object -> parts(object, pointers)));
  }

  private static ObjectNode parts(ObjectNode object, String... pointers) {
    ObjectNode parts = object.deepCopy().retain("apiVersion", "kind", "metadata");
    parts.withObject("/metadata").retain(IDENTIFYING);
    for (String pointer : pointers) {
      if (!object.at(pointer).isMissingNode()) {
        put(parts, object, List.of(pointer.substring(1).split("/")));
      }
    }
    return parts;
  }

  /** Copies the value at a path from one tree to another. */
  private static void put(JsonNode into, JsonNode from, List<String> names) {
    String name = names.getFirst().replace("~1", "/").replace("~0", "~");
    if (from instanceof ArrayNode elements) {
      int index = Integer.parseInt(name);
      ArrayNode target = (ArrayNode) into;
      while (target.size() <= index) {
        target.addNull();
      }
      target.set(index, inner(target.get(index), elements.get(index), names));
    } else {
      ((ObjectNode) into).set(name, inner(into.path(name), from.get(name), names));
    }
  }

  private static JsonNode inner(JsonNode into, JsonNode from, List<String> names) {
    if (names.size() == 1) {
      return from;
    }
    JsonNode around =
        into.isContainerNode() ? into : from.isArray() ? Json.object().arrayNode() : Json.object();
    put(around, from, names.subList(1, names.size()));
    return around;
  }

  /** Returns the expected body of an object. */
  JsonNode of(JsonNode object) {
    return body.orElseThrow().apply(object.deepCopy());
  }

  @Override
  public String toString() {
    return projection.toString().replace('\n', ' ');
  }
}
