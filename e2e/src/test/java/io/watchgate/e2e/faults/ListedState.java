package io.watchgate.e2e.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.Resource;
import java.util.Map;
import java.util.TreeMap;

/** Lists of the apiserver in the form of a subscriber's state. */
final class ListedState {
  private ListedState() {}

  /**
   * Returns {@code namespace/name} and the object.
   *
   * @param selectors any of {@code labelSelector} and {@code fieldSelector}
   */
  static Map<String, JsonNode> of(
      Cluster cluster, Resource type, String namespace, Map<String, String> selectors) {
    Map<String, JsonNode> listed = new TreeMap<>();
    for (JsonNode item : cluster.list(type, namespace, selectors).get("items")) {
      // Items of built-in types have neither; the gateway's objects have both.
      ((ObjectNode) item).put("apiVersion", type.apiVersion()).put("kind", type.kind());
      listed.put(DirectEvent.keyOf(item), item);
    }
    return listed;
  }
}
