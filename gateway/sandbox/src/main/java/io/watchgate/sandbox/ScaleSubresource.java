package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.JsonObjects;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Subresource scale: an object of its own over the replica counts of a workload. */
final class ScaleSubresource {
  static final String KIND = "Scale";
  static final String API_VERSION = "autoscaling/v1";

  private ScaleSubresource() {}

  /** Returns the scale of a deployment or replica set. */
  static JsonObject of(JsonObject workload) {
    JsonObject metadata = new JsonObject();
    for (String name :
        List.of(
            Metadata.NAME, Metadata.NAMESPACE, Metadata.UID, Metadata.VERSION, Metadata.CREATED)) {
      JsonTree.carryOver(Metadata.of(workload), metadata, name);
    }
    JsonObject status = replicas(workload, "status");
    String selector = selector(workload);
    if (!selector.isEmpty()) {
      status.addProperty("selector", selector);
    }
    return JsonObjects.of(
        "kind", KIND,
        "apiVersion", API_VERSION,
        "metadata", metadata,
        "spec", replicas(workload, "spec"),
        "status", status);
  }

  private static JsonObject replicas(JsonObject workload, String part) {
    return JsonObjects.of("replicas", JsonTree.number(workload, 0, part, "replicas"));
  }

  private static String selector(JsonObject workload) {
    JsonObject labels = JsonTree.object(workload, "spec", "selector", "matchLabels");
    return labels == null
        ? ""
        : labels.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(ScaleSubresource::requirement)
            .collect(Collectors.joining(","));
  }

  private static String requirement(Map.Entry<String, JsonElement> label) {
    return label.getKey() + "=" + label.getValue().getAsString();
  }

  /** Throws if the scale's replicas are no integer of 32 bits; absent ones are 0. */
  static void requireReplicas(JsonObject scale) throws StatusException {
    JsonElement replicas = JsonTree.at(scale, "spec", "replicas");
    if (replicas == null || replicas.isJsonNull()) {
      return;
    }
    if (!(replicas instanceof JsonPrimitive number) || !number.isNumber() || !isInt32(number)) {
      throw StatusErrors.badRequest(
          "Scale in version \"v1\" cannot be handled as a Scale: spec.replicas is no int32");
    }
  }

  private static boolean isInt32(JsonPrimitive number) {
    try {
      number.getAsBigDecimal().intValueExact();
      return true;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  /** Sets the workload's replicas to those of the scale. */
  static JsonObject apply(JsonObject scale, JsonObject workload) {
    JsonObject metadata = Metadata.of(workload);
    for (String name : List.of(Metadata.UID, Metadata.VERSION)) {
      String expected = JsonTree.text(scale, "metadata", name);
      if (!expected.isEmpty()) {
        metadata.addProperty(name, expected); // checked against the stored values later
      }
    }
    JsonTree.objectOrNew(workload, "spec")
        .addProperty("replicas", JsonTree.number(scale, 0, "spec", "replicas"));
    return workload;
  }
}
