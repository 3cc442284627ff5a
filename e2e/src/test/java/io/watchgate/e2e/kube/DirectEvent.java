package io.watchgate.e2e.kube;

import com.fasterxml.jackson.databind.JsonNode;

/** Change as received from the apiserver's own watch. */
public record DirectEvent(Change change, JsonNode object) {
  /** Type of the change, as seen through the watch's selectors. */
  public enum Change {
    ADDED,
    MODIFIED,
    DELETED
  }

  /** {@code namespace/name}, or {@code /name} for an object without namespace. */
  public static String keyOf(JsonNode object) {
    return object.at("/metadata/namespace").asText() + "/" + object.at("/metadata/name").asText();
  }

  public String key() {
    return keyOf(object);
  }

  public String uid() {
    return object.at("/metadata/uid").textValue();
  }

  public long resourceVersion() {
    return Long.parseLong(object.at("/metadata/resourceVersion").textValue());
  }
}
