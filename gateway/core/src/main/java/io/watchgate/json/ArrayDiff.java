package io.watchgate.json;

import java.util.Arrays;

/**
 * Pairs of equal elements of two arrays, in the order of both: as many as possible (the longest
 * common subsequence), or, if that takes too long, only those at both ends.
 */
final class ArrayDiff {
  /** Index of the equal new element for each old element, or -1. Increasing. */
  private final int[] pairs;

  private final int newSize;
  private int comparisons;

  private ArrayDiff(int oldSize, int newSize) {
    this.pairs = new int[oldSize];
    this.newSize = newSize;
    Arrays.fill(pairs, -1);
  }

  /**
   * Compares two arrays.
   *
   * @param budget maximum number of comparisons, in addition to one for each element
   */
  static ArrayDiff of(JsonIndex before, int[] old, JsonIndex after, int[] now, int budget) {
    ArrayDiff pairs = new ArrayDiff(old.length, now.length);
    int common = Math.min(old.length, now.length);
    int head = 0;
    while (head < common && before.isSameText(old[head], after, now[head])) {
      pairs.pairs[head] = head;
      head++;
    }
    int tail = 0;
    while (tail < common - head
        && before.isSameText(old[old.length - 1 - tail], after, now[now.length - 1 - tail])) {
      pairs.pairs[old.length - 1 - tail] = now.length - 1 - tail;
      tail++;
    }
    long cells = (long) (old.length - head - tail) * (now.length - head - tail);
    if (cells > 1 && cells <= budget) {
      pairs.comparisons = (int) cells;
      pairs.pairMiddle(
          hashes(before, Arrays.copyOfRange(old, head, old.length - tail)),
          hashes(after, Arrays.copyOfRange(now, head, now.length - tail)),
          head);
      pairs.removeDifferent(before, old, after, now);
    }
    return pairs;
  }

  private static int[] hashes(JsonIndex index, int[] values) {
    return Arrays.stream(values).map(index::hash).toArray();
  }

  private void pairMiddle(int[] old, int[] now, int offset) {
    int[][] longest = new int[old.length + 1][now.length + 1]; // from here to the end
    for (int i = old.length - 1; i >= 0; i--) {
      for (int j = now.length - 1; j >= 0; j--) {
        longest[i][j] =
            old[i] == now[j]
                ? longest[i + 1][j + 1] + 1
                : Math.max(longest[i + 1][j], longest[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    while (i < old.length && j < now.length) {
      if (old[i] == now[j]) {
        pairs[offset + i++] = offset + j++;
      } else if (longest[i + 1][j] >= longest[i][j + 1]) {
        i++;
      } else {
        j++;
      }
    }
  }

  /** Removes pairs of different elements, because equal hashes are no proof. */
  private void removeDifferent(JsonIndex before, int[] old, JsonIndex after, int[] now) {
    for (int i = 0; i < pairs.length; i++) {
      if (pairs[i] >= 0 && !before.isSameText(old[i], after, now[pairs[i]])) {
        pairs[i] = -1;
      }
    }
  }

  int comparisons() {
    return comparisons;
  }

  /**
   * Returns the first old element from {@code from} on that is part of a pair; the number of old
   * elements if there is none.
   */
  int nextOld(int from) {
    int i = from;
    while (i < pairs.length && pairs[i] < 0) {
      i++;
    }
    return i;
  }

  /** Returns the new element of the pair; the number of new elements after the last pair. */
  int nextNow(int old) {
    return old < pairs.length ? pairs[old] : newSize;
  }
}
