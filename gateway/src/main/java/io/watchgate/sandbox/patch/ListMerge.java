package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.sandbox.patch.Rule.Merging;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Merges a list of a strategic merge patch into one of the patched object. */
final class ListMerge {
  private final Rule rule;
  private final ElementKey key;

  ListMerge(Rule rule) {
    this.rule = rule;
    this.key = new ElementKey(rule);
  }

  /** A new list: replaced or merged, as the field wants it. */
  JsonArray merge(JsonArray original, JsonArray patch) throws PatchException {
    if (rule.list() == Merging.REPLACED || (original.isEmpty() && patch.isEmpty())) {
      return patch;
    }
    List<JsonElement> changes = patch.asList();
    List<JsonElement> before = original.asList();
    if (!key.hasObjects(before, changes)) {
      List<JsonElement> both = distinct(Stream.concat(before.stream(), changes.stream()).toList());
      return ElementOrder.of(key, both, changes, before);
    }
    key.requireKey();
    List<JsonElement> plain = new ArrayList<>();
    List<JsonElement> kept = new ArrayList<>(before);
    boolean replace = false;
    for (JsonElement change : changes) {
      Directive directive = Directive.of(change.getAsJsonObject(), rule);
      if (directive == null) {
        plain.add(change);
      } else if (directive == Directive.DELETE) {
        JsonElement gone = key.of(change);
        kept.removeIf(element -> key.matches(element, gone));
      } else {
        replace = true;
      }
    }
    if (replace) {
      return ElementOrder.of(key, plain, List.of(), plain);
    }
    return ElementOrder.of(key, mergeByKey(kept, plain), plain, kept);
  }

  private List<JsonElement> mergeByKey(List<JsonElement> original, List<JsonElement> changes)
      throws PatchException {
    List<JsonElement> merged = new ArrayList<>(original);
    for (JsonElement change : changes) {
      JsonElement value = key.of(change);
      int at = key.find(merged, value);
      if (at < 0) {
        merged.add(change);
      } else {
        Rule element = rule.element(value.getAsString());
        JsonObject old = merged.get(at).getAsJsonObject();
        merged.set(at, ObjectMerge.merge(old, change.getAsJsonObject(), element));
      }
    }
    return merged;
  }

  /**
   * The same, then ordered.
   *
   * @param original null if there is none
   * @param patch null if the list only gets another order
   * @param order all elements in their order, or only their keys, those included that the patch
   *     adds
   */
  JsonArray ordered(@Nullable JsonArray original, @Nullable JsonArray patch, JsonArray order)
      throws PatchException {
    List<JsonElement> wanted = order.asList();
    if (patch != null) {
      requireOrder(patch.asList(), wanted);
    }
    JsonArray merged;
    if (original == null) {
      JsonElement settled = Directive.settled(patch == null ? new JsonArray() : patch);
      merged = settled instanceof JsonArray array ? array : new JsonArray();
    } else {
      merged = patch == null ? original : merge(original, patch);
    }
    List<JsonElement> before = original == null ? List.of() : original.asList();
    if (!merged.isEmpty() && key.hasObjects(merged.asList(), List.of())) {
      key.requireKey();
    }
    return ElementOrder.of(key, merged.asList(), wanted, before);
  }

  /** What the patch sets must stand in the order, in the same sequence. */
  private void requireOrder(List<JsonElement> patch, List<JsonElement> order)
      throws PatchException {
    int at = 0;
    for (JsonElement change : order.isEmpty() ? List.<JsonElement>of() : patch) {
      if (change instanceof JsonObject object && object.has(Directive.PATCH)) {
        continue;
      }
      JsonElement value = key.of(change);
      while (at < order.size() && !ExactEquality.same(key.of(order.get(at)), value)) {
        at++;
      }
      if (at == order.size()) {
        throw PatchException.malformed(
            "%s%s does not name the elements that the patch sets, in the same order"
                .formatted(Directive.SET_ORDER, rule.path()));
      }
      at++;
    }
  }

  private static List<JsonElement> distinct(List<JsonElement> elements) {
    List<JsonElement> distinct = new ArrayList<>();
    for (JsonElement element : elements) {
      if (distinct.stream().noneMatch(other -> ExactEquality.same(other, element))) {
        distinct.add(element);
      }
    }
    return distinct;
  }
}
