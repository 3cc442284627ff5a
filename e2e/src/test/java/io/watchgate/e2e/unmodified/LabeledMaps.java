package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Config maps of one namespace, each with a label {@code app}. */
record LabeledMaps(Cluster cluster, String namespace) {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();

  static LabeledMaps in(Target target) {
    LabeledMaps maps =
        new LabeledMaps(target.cluster(), "unmodified-" + NAMESPACES.incrementAndGet());
    target.cluster().createNamespace(maps.namespace);
    return maps;
  }

  void create(String name, String app) {
    cluster.create(
        Resource.CONFIGMAPS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"namespace":"%s","name":"%s","labels":{"app":"%s"}},"data":{"value":"0"}}
            """
                .formatted(namespace, name, app)));
  }

  void label(String name, String app) {
    patch(name, "{\"metadata\":{\"labels\":{\"app\":\"" + app + "\"}}}");
  }

  void set(String name, int value) {
    patch(name, "{\"data\":{\"value\":\"" + value + "\"}}");
  }

  void delete(String name) {
    cluster.delete(Resource.CONFIGMAPS, namespace, name);
  }

  /** Returns the server's config maps with {@code app=web}, by name. */
  Map<String, JsonNode> listed() {
    Map<String, JsonNode> objects = new TreeMap<>();
    cluster
        .list(Resource.CONFIGMAPS, namespace, Map.of("labelSelector", "app=web"))
        .get("items")
        .forEach(item -> objects.put(item.at("/metadata/name").textValue(), essence(item)));
    return objects;
  }

  /** Returns the parts of an object that are equal after different JSON libraries. */
  static JsonNode essence(JsonNode object) {
    ObjectNode essence = Json.object();
    for (String field : List.of("uid", "resourceVersion", "labels")) {
      essence.set(field, object.at("/metadata/" + field));
    }
    return essence.set("data", object.get("data"));
  }

  private void patch(String name, String mergePatch) {
    cluster.patch(Resource.CONFIGMAPS, namespace, name, mergePatch);
  }
}
