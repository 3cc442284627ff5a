package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.sandbox.schema.SchemaType;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Merge of an object in a strategic merge patch into an object of the patched object. */
final class ObjectMerge {
  private final JsonObject merged;
  private final JsonObject patch;
  private final MergeStrategy rule;

  private ObjectMerge(JsonObject original, JsonObject patch, MergeStrategy rule) {
    this.merged = MergePatch.shallowCopy(original);
    this.patch = MergePatch.shallowCopy(patch);
    this.rule = rule;
  }

  /** Returns a new object; modifies neither argument. */
  static JsonObject merge(JsonObject original, JsonObject patch, MergeStrategy rule)
      throws PatchException {
    Directive directive = Directive.of(patch, rule);
    if (directive == null) {
      return new ObjectMerge(original, patch, rule).merge();
    }
    return switch (directive) {
      case DELETE -> new JsonObject();
      case REPLACE -> {
        JsonObject rest = MergePatch.shallowCopy(patch);
        rest.remove(Directive.PATCH);
        yield rest;
      }
    };
  }

  private JsonObject merge() throws PatchException {
    JsonElement retained = patch.remove(Directive.RETAIN_KEYS);
    if (retained != null) {
      retain(retained);
    }
    for (Map.Entry<String, JsonElement> member : MergePatch.shallowCopy(patch).entrySet()) {
      if (member.getKey().startsWith(Directive.SET_ORDER)) {
        patch.remove(member.getKey());
        order(
            member.getKey().substring(Directive.SET_ORDER.length()),
            listOf(member.getKey(), member.getValue()));
      }
    }
    for (Map.Entry<String, JsonElement> member : patch.entrySet()) {
      if (member.getKey().startsWith(Directive.DELETE_FROM_LIST)) {
        deleteFrom(
            member.getKey().substring(Directive.DELETE_FROM_LIST.length()),
            listOf(member.getKey(), member.getValue()));
      } else {
        set(member.getKey(), member.getValue());
      }
    }
    return merged;
  }

  private void retain(JsonElement names) throws PatchException {
    Set<String> kept = new HashSet<>();
    for (JsonElement name : listOf(Directive.RETAIN_KEYS, names)) {
      kept.add(name.isJsonPrimitive() ? name.getAsString() : "");
    }
    for (Map.Entry<String, JsonElement> member : patch.entrySet()) {
      String name = member.getKey();
      boolean directive =
          name.startsWith(Directive.SET_ORDER) || name.startsWith(Directive.DELETE_FROM_LIST);
      if (!directive && !member.getValue().isJsonNull() && !kept.contains(name)) {
        throw PatchException.malformed(
            "$retainKeys at %s does not name %s, which the patch sets"
                .formatted(Directive.at(rule), name));
      }
    }
    merged.keySet().retainAll(kept);
  }

  /** Merges the list before it is ordered, so that the order applies to the merged list. */
  private void order(String name, JsonArray order) throws PatchException {
    if (rule.type() instanceof SchemaType.Struct struct && struct.schema().field(name).isEmpty()) {
      throw PatchException.malformed(
          "%s%s at %s: there is no such field"
              .formatted(Directive.SET_ORDER, name, Directive.at(rule)));
    }
    MergeStrategy list = rule.member(name);
    JsonElement original = merged.get(name);
    JsonElement patched = patch.remove(name);
    if (original == null && patched == null) {
      return;
    }
    JsonArray outcome =
        new ListMerge(list)
            .ordered(
                original == null ? null : listOf(name, original),
                patched == null ? null : listOf(name, patched),
                order);
    merged.add(name, outcome);
  }

  private void deleteFrom(String name, JsonArray values) {
    if (merged.get(name) instanceof JsonArray original) {
      JsonArray kept = new JsonArray();
      for (JsonElement element : original) {
        if (values.asList().stream().noneMatch(value -> ExactEquality.isEqual(value, element))) {
          kept.add(element);
        }
      }
      merged.add(name, kept);
    }
  }

  private void set(String name, JsonElement value) throws PatchException {
    @Nullable JsonElement original = merged.get(name);
    if (value.isJsonNull()) {
      merged.remove(name);
    } else if (value instanceof JsonObject changes && original instanceof JsonObject object) {
      merged.add(name, merge(object, changes, rule.member(name)));
    } else if (value instanceof JsonArray changes && original instanceof JsonArray list) {
      merged.add(name, new ListMerge(rule.member(name)).merge(list, changes));
    } else {
      JsonElement settled = Directive.withoutDirectives(value);
      if (settled == null) {
        merged.remove(name);
      } else {
        merged.add(name, settled);
      }
    }
  }

  private JsonArray listOf(String name, JsonElement value) throws PatchException {
    if (value instanceof JsonArray array) {
      return array;
    }
    throw PatchException.malformed(
        "%s at %s must be an array, not %s"
            .formatted(name, Directive.at(rule), StrictJson.kind(value)));
  }
}
