package io.watchgate.json;

import org.jspecify.annotations.Nullable;

/** Lookup by a text of an object, as a byte range, without creating a String. */
public interface ByteKeyLookup<V> {
  /**
   * Returns the value for a text, null if there is none.
   *
   * @param bytes array with the text in UTF-8, without escapes, in [from, to); must not be changed
   */
  @Nullable V find(byte[] bytes, int from, int to);
}
