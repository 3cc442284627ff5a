package io.watchgate.feed;

import io.watchgate.cache.KeyRange;
import io.watchgate.select.Selection;
import java.util.List;

/** The keys that a selection can match: one range for each of its namespaces, or all. */
public final class Ranges {
  private Ranges() {}

  /** Whether every object matches. */
  public static boolean all(Selection selection) {
    return selection.namespaces().isEmpty()
        && selection.labels().requirements().isEmpty()
        && selection.fields().requirements().isEmpty();
  }

  /** Disjoint, in the order of keys. */
  public static List<KeyRange> of(Selection selection) {
    return selection.namespaces().isEmpty()
        ? List.of(KeyRange.ALL)
        : selection.namespaces().stream().map(KeyRange::ofNamespace).toList();
  }
}
