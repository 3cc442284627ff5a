package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.sandbox.patch.MergeStrategy.Merging;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Merge of a list in a strategic merge patch into a list of the patched object. */
final class ListMerge {
  private final MergeStrategy rule;
  private final ElementKey key;

  ListMerge(MergeStrategy rule) {
    this.rule = rule;
    this.key = new ElementKey(rule);
  }

  /** Returns a new list, replaced or merged according to the field's strategy. */
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
    Parts parts = parts(before, changes);
    if (parts.replaces) {
      return ElementOrder.of(key, parts.changes, List.of(), parts.changes);
    }
    List<JsonElement> merged = mergeByKey(parts.kept, parts.changes);
    return ElementOrder.of(key, merged, parts.changes, parts.kept);
  }

  /**
   * A patch list of objects, after its directives were carried out.
   *
   * @param kept elements that are not deleted
   * @param changes elements without a directive
   * @param replaces whether {@code changes} replace all elements
   */
  private record Parts(List<JsonElement> kept, List<JsonElement> changes, boolean replaces) {}

  private Parts parts(List<JsonElement> original, List<JsonElement> patch) throws PatchException {
    List<JsonElement> kept = new ArrayList<>(original);
    List<JsonElement> changes = new ArrayList<>();
    boolean replaces = false;
    for (JsonElement change : patch) {
      Directive directive = Directive.of(change.getAsJsonObject(), rule);
      if (directive == null) {
        changes.add(change);
      } else if (directive == Directive.DELETE) {
        JsonElement gone = key.of(change);
        kept.removeIf(element -> key.matches(element, gone));
      } else {
        replaces = true;
      }
    }
    return new Parts(kept, changes, replaces);
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
        MergeStrategy element = rule.element(value.getAsString());
        JsonObject old = merged.get(at).getAsJsonObject();
        merged.set(at, ObjectMerge.merge(old, change.getAsJsonObject(), element));
      }
    }
    return merged;
  }

  /**
   * Returns the merged list in the given order.
   *
   * @param original null if there is no list
   * @param patch null if only the order changes
   * @param order all elements in their order, or only their keys, including elements that the patch
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
      JsonElement settled = Directive.withoutDirectives(patch == null ? new JsonArray() : patch);
      merged = settled instanceof JsonArray array ? array : new JsonArray();
    } else {
      merged = patch == null ? original : merge(original, patch);
    }
    List<JsonElement> before = elements(original);
    List<JsonElement> changes = elements(patch);
    if (before.isEmpty() && changes.isEmpty()) {
      throw PatchException.malformed(
          "%s%s: there is nothing to order".formatted(Directive.SET_ORDER, rule.path()));
    }
    if (key.hasObjects(before, changes)) {
      key.requireKey();
      key.requireKeys(wanted);
      // An apiserver orders by the old list, so it requires keys even of elements that the patch
      // removes.
      key.requireKeys(before);
    }
    return ElementOrder.of(key, merged.asList(), wanted, oldOrder(original, patch));
  }

  /**
   * Returns the old order, in which additions fill the positions of deletions. The result then has
   * the order of the apiserver, which adds within the old list as far as deletions made room.
   */
  private List<JsonElement> oldOrder(@Nullable JsonArray original, @Nullable JsonArray patch)
      throws PatchException {
    if (original == null) {
      return List.of();
    }
    List<JsonElement> before = original.asList();
    if (patch == null
        || rule.list() == Merging.REPLACED
        || !key.hasObjects(before, patch.asList())) {
      return before;
    }
    Parts parts = parts(before, patch.asList());
    List<JsonElement> places = new ArrayList<>(parts.kept);
    for (JsonElement change : parts.replaces ? List.<JsonElement>of() : parts.changes) {
      if (places.size() < before.size() && key.find(places, key.of(change)) < 0) {
        places.add(change);
      }
    }
    return places;
  }

  /**
   * Throws unless the order names the elements that the patch sets, in the same sequence. As in an
   * apiserver, a {@code $patch: replace} must not come last.
   */
  private void requireOrder(List<JsonElement> patch, List<JsonElement> order)
      throws PatchException {
    int at = 0;
    int next = 0;
    while (at < patch.size() && next < order.size()) {
      if (patch.get(at) instanceof JsonObject object && object.has(Directive.PATCH)) {
        at++;
      } else if (ExactEquality.isEqual(key.of(patch.get(at)), key.of(order.get(next++)))) {
        at++;
      }
    }
    while (at < patch.size() && Directive.isDelete(patch.get(at))) {
      at++;
    }
    if (at < patch.size() && !order.isEmpty()) {
      throw PatchException.malformed(
          "%s%s does not name the elements that the patch sets, in the same order"
              .formatted(Directive.SET_ORDER, rule.path()));
    }
  }

  private static List<JsonElement> elements(@Nullable JsonArray array) {
    return array == null ? List.of() : array.asList();
  }

  private static List<JsonElement> distinct(List<JsonElement> elements) {
    List<JsonElement> distinct = new ArrayList<>();
    for (JsonElement element : elements) {
      if (distinct.stream().noneMatch(other -> ExactEquality.isEqual(other, element))) {
        distinct.add(element);
      }
    }
    return distinct;
  }
}
