package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.util.concurrent.atomic.AtomicInteger;

/** Config maps of one namespace, each with a number as its value. */
final class ConfigMaps {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();

  private final Cluster cluster;
  private final String namespace;

  private ConfigMaps(Cluster cluster, String namespace) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** Creates a namespace whose name begins with {@code about}. */
  static ConfigMaps in(Cluster cluster, String about) {
    String namespace = about + "-" + NAMESPACES.incrementAndGet();
    cluster.createNamespace(namespace);
    return new ConfigMaps(cluster, namespace);
  }

  String namespace() {
    return namespace;
  }

  /** Returns the key of {@link ClientState}. */
  String key(String name) {
    return namespace + "/" + name;
  }

  /** Creates a config map and returns its version. */
  String create(String name, int value) {
    return create(name, value, "");
  }

  /** Creates a config map with an additional text, to make it large, and returns its version. */
  String create(String name, int value, String text) {
    JsonNode object =
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"},
             "data":{"value":"%d","text":"%s"}}
            """
                .formatted(namespace, name, value, text));
    return version(cluster.create(Resource.CONFIGMAPS, object));
  }

  /** Changes the value of a config map and returns its version. */
  String set(String name, int value) {
    return version(
        cluster.patch(
            Resource.CONFIGMAPS, namespace, name, "{\"data\":{\"value\":\"" + value + "\"}}"));
  }

  /** Increments the value of a config map from {@code from} to {@code to}. */
  void count(String name, int from, int to) {
    for (int value = from; value <= to; value++) {
      set(name, value);
    }
  }

  void delete(String name) {
    cluster.delete(Resource.CONFIGMAPS, namespace, name);
  }

  /** Waits until the subscriber's state equals the apiserver's. */
  void awaitEqual(Subscriber subscriber) {
    subscriber.awaitStateOf(cluster, Resource.CONFIGMAPS, namespace);
  }

  private static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").textValue();
  }
}
