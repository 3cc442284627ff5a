package io.watchgate.check.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.check.ProjectionSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Projections according to the contract, implemented independently of the gateway on JSON trees.
 */
final class ProjectionSpecs {
  private static final List<String> IDENTIFYING =
      List.of(
          "/apiVersion",
          "/kind",
          "/metadata/namespace",
          "/metadata/name",
          "/metadata/uid",
          "/metadata/resourceVersion");

  private ProjectionSpecs() {}

  /** Returns the projection as a new object. Pointers lead through objects only. */
  static JsonObject apply(ProjectionSpec projection, JsonObject object) {
    return switch (projection.view()) {
      case FULL -> object.deepCopy();
      case NO_MANAGED_FIELDS -> withoutManagedFields(object.deepCopy());
      case METADATA ->
          withoutManagedFields(parts(object, List.of("/apiVersion", "/kind", "/metadata")));
      case KEY -> new JsonObject();
      case PARTS -> {
        JsonObject parts = parts(object, IDENTIFYING);
        projection.pointers().forEach(pointer -> copy(pointer, object, parts));
        yield parts;
      }
    };
  }

  private static JsonObject withoutManagedFields(JsonObject object) {
    if (object.get("metadata") instanceof JsonObject metadata) {
      metadata.remove("managedFields");
    }
    return object;
  }

  private static JsonObject parts(JsonObject object, List<String> pointers) {
    JsonObject parts = new JsonObject();
    pointers.forEach(pointer -> copy(pointer, object, parts));
    return parts;
  }

  private static void copy(String pointer, JsonObject from, JsonObject to) {
    String[] steps = pointer.substring(1).split("/", -1);
    @Nullable JsonElement found = from;
    for (String step : steps) {
      found = found instanceof JsonObject parent ? parent.get(step) : null;
    }
    if (found == null) {
      return;
    }
    JsonObject place = to;
    for (int i = 0; i < steps.length - 1; i++) {
      if (!(place.get(steps[i]) instanceof JsonObject)) {
        place.add(steps[i], new JsonObject());
      }
      place = place.getAsJsonObject(steps[i]);
    }
    place.add(steps[steps.length - 1], found.deepCopy());
  }
}
