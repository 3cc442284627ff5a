package io.watchgate.e2e.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Config maps of one namespace. */
public record Maps(Cluster cluster, String namespace) {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();

  Maps(Cluster cluster) {
    this(cluster, "clients-" + NAMESPACES.incrementAndGet());
    cluster.createNamespace(namespace);
  }

  String line(String what, String name) {
    return what + " " + namespace + "/" + name;
  }

  void create(String name) {
    cluster.create(
        Resource.CONFIGMAPS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"}}
            """
                .formatted(namespace, name)));
  }

  public void change(String name, String value) {
    cluster.patch(Resource.CONFIGMAPS, namespace, name, "{\"data\":{\"value\":\"" + value + "\"}}");
  }

  void delete(String name) {
    cluster.delete(Resource.CONFIGMAPS, namespace, name);
  }

  /** Creates, changes and deletes config maps; changes switch between the labels left and right. */
  void writeRandomly(Random random, int changes) {
    for (int i = 0; i < changes; i++) {
      Map<String, JsonNode> all = listed("");
      String name = "map-" + random.nextInt(12);
      if (!all.containsKey(namespace + "/" + name)) {
        create(name);
      } else if (random.nextInt(4) == 0) {
        delete(name);
        continue;
      }
      String side = random.nextInt(3) == 0 ? "right" : "left";
      cluster.patch(
          Resource.CONFIGMAPS,
          namespace,
          name,
          """
          {"metadata":{"labels":{"side":"%s"}},"data":{"value":"%d \\u001b \u009b \u00fc"}}
          """
              .formatted(side, random.nextInt()));
    }
  }

  /** Returns the resourceVersions of the config maps at the apiserver, by name. */
  public Map<String, String> versions() {
    Map<String, String> versions = new TreeMap<>();
    listed("")
        .values()
        .forEach(
            map ->
                versions.put(
                    map.at("/metadata/name").textValue(),
                    map.at("/metadata/resourceVersion").textValue()));
    return versions;
  }

  /** Returns the config maps at the apiserver, by namespace and name. */
  Map<String, JsonNode> listed(String labelSelector) {
    Map<String, JsonNode> objects = new TreeMap<>();
    JsonNode list =
        cluster.list(Resource.CONFIGMAPS, namespace, Map.of("labelSelector", labelSelector));
    for (JsonNode item : list.get("items")) {
      ObjectNode object = item.deepCopy();
      object.put("kind", "ConfigMap").put("apiVersion", "v1");
      objects.put(namespace + "/" + item.at("/metadata/name").textValue(), object);
    }
    return objects;
  }
}
