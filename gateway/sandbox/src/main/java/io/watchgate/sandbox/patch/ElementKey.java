package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;

/** Identity of list elements: the merge key of objects, and the value itself of other elements. */
final class ElementKey {
  private final MergeStrategy rule;

  ElementKey(MergeStrategy rule) {
    this.rule = rule;
  }

  /**
   * Returns whether the lists have objects. Throws unless all elements or no elements are objects.
   */
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

  /** Throws if the list of objects has no merge key. */
  void requireKey() throws PatchException {
    if (rule.mergeKey().isEmpty()) {
      throw PatchException.malformed(rule.path() + " has no key that distinguishes its objects");
    }
  }

  /** Throws if an element is not an object with the merge key; any value is accepted. */
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
        "an element of %s in the patch or the object has no %s, which identifies it"
            .formatted(rule.path(), rule.mergeKey().orElseThrow()));
  }

  /** Returns whether the element has this key; false for an element without a key. */
  boolean matches(JsonElement element, JsonElement key) {
    JsonElement own =
        element instanceof JsonObject object && rule.mergeKey().isPresent()
            ? object.get(rule.mergeKey().get())
            : element;
    return own != null && ExactEquality.isEqual(own, key);
  }

  /** Returns the index of the first element with this key; -1 if there is none. */
  int find(List<JsonElement> elements, JsonElement key) {
    for (int i = 0; i < elements.size(); i++) {
      if (matches(elements.get(i), key)) {
        return i;
      }
    }
    return -1;
  }
}
