package io.watchgate.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Operations on the content of a string, or on a literal, of an object that was read. Selectors
 * compare millions of strings a second, so eight bytes are processed at a time.
 */
final class JsonString {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long QUOTES = ONES * '"';
  private static final long BACKSLASHES = ONES * '\\';

  private JsonString() {}

  /** Returns the closing quote of the string whose content begins at {@code from}. */
  static int end(byte[] bytes, int from) {
    int i = from;
    while (i + Long.BYTES <= bytes.length) {
      long word = (long) LONGS.get(bytes, i);
      long hit = zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
      if (hit == 0) {
        i += Long.BYTES;
        continue;
      }
      i += Long.numberOfTrailingZeros(hit) >>> 3;
      if (bytes[i] == '"') {
        return i;
      }
      i += 2;
    }
    while (bytes[i] != '"') {
      i += bytes[i] == '\\' ? 2 : 1;
    }
    return i;
  }

  static boolean escaped(byte[] bytes, int from, int to) {
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      if (zeros((long) LONGS.get(bytes, i) ^ BACKSLASHES) != 0) {
        return true;
      }
    }
    for (; i < to; i++) {
      if (bytes[i] == '\\') {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns a word whose lowest set bit belongs to a zero byte; above it a borrow may set others.
   */
  private static long zeros(long word) {
    return (word - ONES) & ~word & HIGHS;
  }

  /** Returns whether the text equals {@code text} once its escapes are resolved. */
  static boolean is(byte[] bytes, int from, int to, byte[] text) {
    if (to - from < text.length) {
      return false; // an escape is longer than its character
    }
    return escaped(bytes, from, to)
        ? Arrays.equals(decoded(bytes, from, to), text)
        : Arrays.equals(bytes, from, to, text, 0, text.length);
  }

  static <V> @Nullable V find(byte[] bytes, int from, int to, ByteKeyLookup<V> lookup) {
    if (!escaped(bytes, from, to)) {
      return lookup.find(bytes, from, to);
    }
    byte[] decoded = decoded(bytes, from, to);
    return lookup.find(decoded, 0, decoded.length);
  }

  /** Returns whether two texts with different bytes are equal once their escapes are resolved. */
  static boolean same(byte[] left, int from, int to, byte[] right, int otherFrom, int otherTo) {
    return (escaped(left, from, to) || escaped(right, otherFrom, otherTo))
        && Arrays.equals(decoded(left, from, to), decoded(right, otherFrom, otherTo));
  }

  /** Returns the text in UTF-8, escapes resolved. */
  static byte[] decoded(byte[] bytes, int from, int to) {
    try {
      return JsonScanner.decodeUtf8(bytes, from, to);
    } catch (JsonException e) {
      throw new IllegalStateException("the text was readable when the object was", e);
    }
  }

  static String text(byte[] bytes, int from, int to) {
    if (!escaped(bytes, from, to)) {
      return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
    try {
      return JsonScanner.decode(bytes, from, to);
    } catch (JsonException e) {
      throw new IllegalStateException("the text was readable when the object was", e);
    }
  }
}
