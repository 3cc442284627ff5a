package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order of a merged list: what the patch names stands as the patch has it, the rest as it
 * stood, and each of the rest goes before the first of the named ones that stood behind it.
 */
final class ElementOrder {
  private ElementOrder() {}

  /** An element with what it is ordered by. */
  private record Placed(JsonElement element, int named, int before) {}

  /**
   * Orders.
   *
   * @param merged all elements
   * @param named the patch's order; may name more
   * @param before the order of old; may lack what is new
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
      while (at < rest.size() && next.before >= 0 && stoodBefore(rest.get(at), next)) {
        ordered.add(rest.get(at++).element);
      }
      ordered.add(next.element);
    }
    rest.subList(at, rest.size()).forEach(placed -> ordered.add(placed.element));
    return ordered;
  }

  private static boolean stoodBefore(Placed a, Placed b) {
    return a.before >= 0 && a.before < b.before;
  }
}
