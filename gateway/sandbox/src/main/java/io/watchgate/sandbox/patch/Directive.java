package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import org.jspecify.annotations.Nullable;

/** Directive in a strategic merge patch: a member that is an instruction and not a value. */
enum Directive {
  REPLACE,
  DELETE;

  static final String PATCH = "$patch";
  static final String RETAIN_KEYS = "$retainKeys";
  static final String DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
  static final String SET_ORDER = "$setElementOrder/";

  /** Returns the {@code $patch} directive of an object; null if there is none. */
  static @Nullable Directive of(JsonObject patch, MergeStrategy rule) throws PatchException {
    JsonElement directive = patch.get(PATCH);
    if (directive == null) {
      return null;
    }
    String text = directive instanceof JsonPrimitive primitive ? primitive.getAsString() : "";
    return switch (text) {
      case "replace" -> REPLACE;
      case "delete" -> DELETE;
      default ->
          throw PatchException.malformed(
              "$patch at %s must be replace or delete, not %s".formatted(at(rule), directive));
    };
  }

  /** Returns whether an element of a list is only a directive that deletes another element. */
  static boolean isDelete(JsonElement element) {
    return element instanceof JsonObject object
        && object.get(PATCH) instanceof JsonPrimitive directive
        && directive.getAsString().equals("delete");
  }

  static String at(MergeStrategy rule) {
    return rule.path().isEmpty() ? "the top" : rule.path();
  }

  /**
   * Returns the value to set where none existed: without null members and without objects that have
   * {@code $patch}. Returns null if the value is such an object itself.
   */
  static @Nullable JsonElement withoutDirectives(JsonElement value) {
    if (value instanceof JsonObject object) {
      if (object.has(PATCH)) {
        return null;
      }
      JsonObject kept = new JsonObject();
      object
          .entrySet()
          .forEach(
              member -> {
                JsonElement settled = withoutDirectives(member.getValue());
                if (settled != null && !settled.isJsonNull()) {
                  kept.add(member.getKey(), settled);
                }
              });
      return kept;
    }
    if (value instanceof JsonArray array) {
      JsonArray kept = new JsonArray(array.size());
      array.forEach(
          element -> {
            JsonElement settled = withoutDirectives(element);
            if (settled != null) {
              kept.add(settled);
            }
          });
      return kept;
    }
    return value;
  }
}
