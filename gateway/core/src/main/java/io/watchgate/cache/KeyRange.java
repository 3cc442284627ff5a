package io.watchgate.cache;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Range of keys from {@code from}, inclusive, to {@code to}, exclusive; null means no upper bound.
 * The arrays must not be changed.
 */
@SuppressWarnings("ArrayRecordComponent") // keys are arrays everywhere; ranges are not compared
public record KeyRange(byte[] from, byte @Nullable [] to) {
  /** Order by lower bound. */
  public static final Comparator<KeyRange> ORDER =
      Comparator.comparing(KeyRange::from, StateMap::compare);

  /** Range of all keys. */
  public static final KeyRange ALL = new KeyRange(new byte[0], null);

  /** Returns the keys of one namespace: all that begin with {@code NAMESPACE/}. */
  public static KeyRange ofNamespace(String namespace) {
    byte[] from = (namespace + "/").getBytes(StandardCharsets.UTF_8);
    byte[] to = from.clone();
    to[to.length - 1]++; // '0' follows '/'
    return new KeyRange(from, to);
  }

  /** Returns the range of one key. */
  public static KeyRange ofKey(String key) {
    byte[] from = key.getBytes(StandardCharsets.UTF_8);
    return new KeyRange(from, next(from));
  }

  /** Returns the smallest key above {@code key}. */
  private static byte[] next(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /** Returns the part of this range after {@code key}. */
  public KeyRange after(byte[] key) {
    byte[] next = next(key);
    return StateMap.compare(next, from) <= 0 ? this : new KeyRange(next, to);
  }

  /** Returns disjoint ranges of the same keys, in the order of keys. */
  public static List<KeyRange> union(List<KeyRange> ranges) {
    List<KeyRange> sorted = new ArrayList<>(ranges);
    sorted.sort(ORDER);
    List<KeyRange> union = new ArrayList<>();
    for (KeyRange range : sorted) {
      if (union.isEmpty() || union.getLast().endsBefore(range.from)) {
        union.add(range);
      } else {
        union.add(union.removeLast().extendedTo(range));
      }
    }
    return union;
  }

  private KeyRange extendedTo(KeyRange other) {
    boolean further = to != null && (other.to == null || StateMap.compare(other.to, to) > 0);
    return further ? new KeyRange(from, other.to) : this;
  }

  boolean endsBefore(byte[] key) {
    return to != null && StateMap.compare(key, to) >= 0;
  }
}
