package io.watchgate.e2e.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Object whose table row is compared.
 *
 * @param object without kind, apiVersion and namespace
 * @param status status that is set afterwards; missing if there is none
 * @param fate last change of the object
 */
record Sample(Resource type, ObjectNode object, JsonNode status, Fate fate) {
  private static final Set<String> CLUSTER_SCOPED = Set.of("nodes");

  /** Last change: none, or a deletion that a finalizer delays. */
  enum Fate {
    LIVES,
    IS_BEING_DELETED
  }

  /** Returns the samples in {@code objects.jsonl}, one per line. */
  static List<Sample> all(String namespace) throws IOException {
    try (InputStream file =
        Objects.requireNonNull(Sample.class.getResourceAsStream("objects.jsonl"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> parse(line.replace("$NAMESPACE", namespace)))
          .toList();
    }
  }

  private static Sample parse(String line) {
    JsonNode sample = Json.parse(line);
    String[] type = sample.get("type").textValue().split("/", -1);
    return new Sample(
        new Resource(type[0], type[1], type[2], type[3]),
        (ObjectNode) sample.get("object"),
        sample.path("status"),
        sample.has("deleted") ? Fate.IS_BEING_DELETED : Fate.LIVES);
  }

  /** Returns the namespace; empty for types without namespaces. */
  static String namespaceOf(Resource type, String namespace) {
    return CLUSTER_SCOPED.contains(type.plural()) ? "" : namespace;
  }

  void create(Cluster cluster, String namespace) {
    String home = namespaceOf(type, namespace);
    String name = object.at("/metadata/name").textValue();
    ObjectNode sent = object.deepCopy();
    sent.put("apiVersion", type.apiVersion()).put("kind", type.kind());
    if (!home.isEmpty()) {
      ((ObjectNode) sent.get("metadata")).put("namespace", home);
    }
    cluster.create(type, sent);
    if (!status.isMissingNode()) {
      ObjectNode patch = Json.object();
      patch.set("status", status);
      cluster.patchStatus(type, home, name, patch.toString());
    }
    if (fate == Fate.IS_BEING_DELETED) {
      cluster.delete(type, home, name);
    }
  }
}
