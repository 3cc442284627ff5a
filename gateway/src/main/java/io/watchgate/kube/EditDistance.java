package io.watchgate.kube;

/** How far two words are apart. */
public final class EditDistance {
  private EditDistance() {}

  /** Letters inserted, removed, replaced, or swapped with their neighbour. */
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
