package io.watchgate.kube;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Damerau-Levenshtein distance (optimal string alignment) between two words, and suggestions by it.
 */
public final class EditDistance {
  private static final int MAX_NEAREST = 3;

  private EditDistance() {}

  /**
   * Returns at most three candidates, the nearest first, within a distance of a third of the word's
   * letters, and at least 1.
   *
   * @param distance distance of a candidate from the word
   */
  public static <T> List<T> nearest(
      String word, Collection<T> candidates, ToIntFunction<T> distance) {
    record Near<T>(T candidate, int distance) {}
    return candidates.stream()
        .map(candidate -> new Near<>(candidate, distance.applyAsInt(candidate)))
        .filter(near -> near.distance <= Math.max(1, word.length() / 3))
        .sorted(Comparator.comparingInt(Near::distance))
        .limit(MAX_NEAREST)
        .map(Near::candidate)
        .toList();
  }

  /**
   * Returns the number of letters that are inserted, removed, replaced, or swapped with their
   * neighbour.
   */
  public static int between(String a, String b) {
    int[] before = new int[b.length() + 1];
    int[] previous = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int best = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + cost);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          best = Math.min(best, before[j - 2] + 1);
        }
        current[j] = best;
      }
      int[] oldest = before;
      before = previous;
      previous = current;
      current = oldest;
    }
    return previous[b.length()];
  }
}
