package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Outcome of a patch. */
sealed interface Outcome {
  /** The patch is invalid, or does not apply to this object. */
  record Refused(String why) implements Outcome {}

  /** The patched object has values of other types than its fields. */
  record NotDecoded(String why) implements Outcome {}

  /** The patched object is invalid; only an apiserver reports this. */
  record Invalid(String why) implements Outcome {}

  /** The patched object, without the fields that every write changes. */
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
