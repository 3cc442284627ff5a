package io.watchgate.http;

import io.watchgate.encode.ByteSlices;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of the objects of one response. It appends to a buffer. Not thread-safe, because it may
 * keep state between objects.
 */
interface ObjectEncoder {
  /**
   * Appends a single object, or the object of a watch frame.
   *
   * @param object with kind and apiVersion
   */
  void object(byte[] object, ByteBuilder out);

  /** Returns the object of a watch frame. Thread-safe for encoders of frames. */
  default ByteSlices slices(ByteSlices object) {
    ByteBuilder out = new ByteBuilder(object.size());
    object(object.toByteArray(), out);
    return ByteSlices.of(out.toArray());
  }

  /** Appends everything before the items of a list. */
  void listHead(ListMeta meta, ByteBuilder out);

  /** Appends an item, without commas. */
  default void listItem(byte[] object, ByteBuilder out) {
    object(object, out);
  }

  /** Appends everything after the items of a list. */
  default void listTail(ListMeta meta, ByteBuilder out) {
    out.append("]}\n");
  }

  /**
   * Metadata of a list.
   *
   * @param continueToken empty on the last page
   * @param remaining number of items that follow; null if it is not sent
   */
  record ListMeta(String version, String continueToken, @Nullable Long remaining) {

    /** Returns the JSON, with members in the order of built-in types. */
    String json() {
      return "{\"resourceVersion\":"
          + HttpJsonText.quoted(version)
          + (continueToken.isEmpty() ? "" : ",\"continue\":" + HttpJsonText.quoted(continueToken))
          + (remaining == null ? "" : ",\"remainingItemCount\":" + remaining)
          + "}";
    }
  }
}
