package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Order of a merged list. Elements that the patch names have the order of the patch. The other
 * elements keep their old order. Each of them precedes the first named element that followed it in
 * the old list.
 */
final class ElementOrder {
  private ElementOrder() {}

  /** An element with its two indexes, or -1. */
  private record Placed(JsonElement element, int named, int before) {}

  /**
   * Returns the ordered list.
   *
   * @param merged all elements
   * @param named order of the patch; may name further elements
   * @param before old order; new elements may be missing
   */
  static JsonArray of(
      ElementKey key, List<JsonElement> merged, List<JsonElement> named, List<JsonElement> before)
      throws PatchException {
    List<Placed> ofPatch = new ArrayList<>();
    List<Placed> rest = new ArrayList<>();
    for (JsonElement element : merged) {
      JsonElement value = key.of(element);
      Placed placed = new Placed(element, key.find(named, value), key.find(before, value));
      (placed.named >= 0 ? ofPatch : rest).add(placed);
    }
    ofPatch.sort(Comparator.comparingInt(Placed::named));
    rest.sort(Comparator.comparingInt(Placed::before));
    JsonArray ordered = new JsonArray(merged.size());
    int at = 0;
    for (Placed next : ofPatch) {
      while (at < rest.size() && next.before >= 0 && preceded(rest.get(at), next)) {
        ordered.add(rest.get(at++).element);
      }
      ordered.add(next.element);
    }
    rest.subList(at, rest.size()).forEach(placed -> ordered.add(placed.element));
    return ordered;
  }

  private static boolean preceded(Placed a, Placed b) {
    return a.before >= 0 && a.before < b.before;
  }
}
