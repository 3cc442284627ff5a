package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;

/** Which object of a type; the namespace is empty for cluster-scoped ones. */
record ObjectName(String namespace, String name) implements Comparable<ObjectName> {

  static ObjectName of(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    return new ObjectName(
        metadata.has("namespace") ? metadata.get("namespace").getAsString() : "",
        metadata.get("name").getAsString());
  }

  /** As a state is ordered by. */
  byte[] bytes() {
    return toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public int compareTo(ObjectName other) {
    int byNamespace = namespace.compareTo(other.namespace);
    return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
