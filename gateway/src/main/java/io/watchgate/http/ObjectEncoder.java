package io.watchgate.http;

import org.jspecify.annotations.Nullable;

/**
 * How the objects of one answer are written. Appends to what it is given; not thread-safe, for it
 * may remember what it wrote before.
 */
interface ObjectEncoder {
  /**
   * An object by itself, and within a watch.
   *
   * @param object with kind and apiVersion
   */
  void object(byte[] object, ByteBuilder out);

  /** Everything before the items of a list. */
  void listHead(ListMeta meta, ByteBuilder out);

  /** An item, without commas. */
  void listItem(byte[] object, ByteBuilder out);

  /** Everything after the items of a list. */
  void listTail(ListMeta meta, ByteBuilder out);

  /**
   * The metadata of a list.
   *
   * @param continueToken empty on the last page
   * @param remaining how many items follow; null where that is not told
   */
  record ListMeta(String version, String continueToken, @Nullable Long remaining) {

    /** In the order of built-in types. */
    String json() {
      return "{\"resourceVersion\":"
          + HttpJsonText.quoted(version)
          + (continueToken.isEmpty() ? "" : ",\"continue\":" + HttpJsonText.quoted(continueToken))
          + (remaining == null ? "" : ",\"remainingItemCount\":" + remaining)
          + "}";
    }
  }
}
