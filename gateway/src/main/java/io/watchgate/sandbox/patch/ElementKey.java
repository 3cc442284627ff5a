package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;

/** What tells the elements of a list apart: a member of objects, and other values themselves. */
final class ElementKey {
  private final MergeStrategy rule;

  ElementKey(MergeStrategy rule) {
    this.rule = rule;
  }

  /** Whether these are lists of objects; they must be all objects, or none. */
  boolean hasObjects(List<JsonElement> original, List<JsonElement> patch) throws PatchException {
    boolean objects = false;
    boolean others = false;
    for (List<JsonElement> list : List.of(original, patch)) {
      for (JsonElement element : list) {
        if (element instanceof JsonArray) {
          throw PatchException.notApplicable(
              rule.path() + " is a list of lists, and those cannot be merged");
        }
        objects |= element instanceof JsonObject;
        others |= !(element instanceof JsonObject);
      }
    }
    if (objects && others) {
      throw PatchException.malformed(
          "%s: the list and the patch must both have objects, or both other values"
              .formatted(rule.path()));
    }
    return objects;
  }

  /** Refuses a list of objects that has no key to merge them by. */
  void requireKey() throws PatchException {
    if (rule.mergeKey().isEmpty()) {
      throw PatchException.malformed(
          rule.path() + " has no key that its objects could be told apart by");
    }
  }

  /** Refuses a list with an element that is no object with a key, of whatever value. */
  void requireKeys(List<JsonElement> elements) throws PatchException {
    for (JsonElement element : elements) {
      if (!(element instanceof JsonObject object) || !object.has(rule.mergeKey().orElseThrow())) {
        throw withoutKey();
      }
    }
  }

  JsonElement of(JsonElement element) throws PatchException {
    if (!(element instanceof JsonObject object) || rule.mergeKey().isEmpty()) {
      return element;
    }
    String name = rule.mergeKey().get();
    JsonElement value = object.get(name);
    if (value == null || !value.isJsonPrimitive()) {
      throw withoutKey();
    }
    return value;
  }

  private PatchException withoutKey() {
    return PatchException.malformed(
        "an element of %s in the patch or the object has no %s, by which they are told apart"
            .formatted(rule.path(), rule.mergeKey().orElseThrow()));
  }

  /** Whether the element has this key; one without key has none. */
  boolean matches(JsonElement element, JsonElement key) {
    JsonElement own =
        element instanceof JsonObject object && rule.mergeKey().isPresent()
            ? object.get(rule.mergeKey().get())
            : element;
    return own != null && ExactEquality.same(own, key);
  }

  /** The first with this key; -1 if there is none. */
  int find(List<JsonElement> elements, JsonElement key) {
    for (int i = 0; i < elements.size(); i++) {
      if (matches(elements.get(i), key)) {
        return i;
      }
    }
    return -1;
  }
}
