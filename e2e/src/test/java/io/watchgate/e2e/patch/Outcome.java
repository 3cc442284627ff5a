package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What became of a patch. */
sealed interface Outcome {
  /** The patch makes no sense, or not for this object. */
  record Refused(String why) implements Outcome {}

  /** The patched object has values of other types than its fields. */
  record NotDecoded(String why) implements Outcome {}

  /** The patched object may not be as it is; only an apiserver says so. */
  record Invalid(String why) implements Outcome {}

  /** The patched object, without what every write changes. */
  record Patched(JsonNode object) implements Outcome {
    static Patched of(JsonNode object) {
      ObjectNode masked = object.deepCopy();
      if (masked.get("metadata") instanceof ObjectNode metadata) {
        metadata.remove("resourceVersion");
        metadata.remove("generation");
        metadata.remove("managedFields");
      }
      return new Patched(masked);
    }
  }
}
