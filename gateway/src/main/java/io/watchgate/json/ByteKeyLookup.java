package io.watchgate.json;

import org.jspecify.annotations.Nullable;

/** Finds something by a text of an object, where it stands: it need not become a String. */
public interface ByteKeyLookup<V> {
  /**
   * What there is for a text, null for nothing.
   *
   * @param bytes hold the text in UTF-8, without escapes, in [from, to); not to be changed
   */
  @Nullable V find(byte[] bytes, int from, int to);
}
