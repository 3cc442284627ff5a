package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.util.concurrent.atomic.AtomicInteger;

/** Config maps of a namespace of their own, each with a number as its value. */
final class ConfigMaps {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();

  private final Cluster cluster;
  private final String namespace;

  private ConfigMaps(Cluster cluster, String namespace) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** In a new namespace whose name begins with {@code about}. */
  static ConfigMaps in(Cluster cluster, String about) {
    String namespace = about + "-" + NAMESPACES.incrementAndGet();
    cluster.createNamespace(namespace);
    return new ConfigMaps(cluster, namespace);
  }

  String namespace() {
    return namespace;
  }

  /** As a key of {@link Fold}. */
  String key(String name) {
    return namespace + "/" + name;
  }

  /** Creates one and returns its version. */
  String create(String name, int value) {
    return create(name, value, "");
  }

  /** Creates one with a text beside its value, to be large. */
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

  /** Changes the value of one and returns its version. */
  String set(String name, int value) {
    return version(
        cluster.patch(
            Resource.CONFIGMAPS, namespace, name, "{\"data\":{\"value\":\"" + value + "\"}}"));
  }

  /** Changes the value of one from {@code from} to {@code to}, step by step. */
  void count(String name, int from, int to) {
    for (int value = from; value <= to; value++) {
      set(name, value);
    }
  }

  void delete(String name) {
    cluster.delete(Resource.CONFIGMAPS, namespace, name);
  }

  /** Waits until the subscriber holds what the apiserver has. */
  void awaitEqual(Subscriber subscriber) {
    subscriber.awaitStateOf(cluster, Resource.CONFIGMAPS, namespace);
  }

  private static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").textValue();
  }
}
