package io.watchgate.sandbox.churn;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;

/** Namespace and name of an object; the namespace is empty for cluster-scoped types. */
record ObjectName(String namespace, String name) implements Comparable<ObjectName> {

  static ObjectName of(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    return new ObjectName(
        metadata.has("namespace") ? metadata.get("namespace").getAsString() : "",
        metadata.get("name").getAsString());
  }

  /** Returns the key in a state of the cache. */
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
