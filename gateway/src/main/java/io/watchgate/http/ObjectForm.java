package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import org.jspecify.annotations.Nullable;

/**
 * How the objects of one answer are written. Appends to what it is given; not thread-safe, for it
 * may remember what it wrote before.
 */
interface ObjectForm {
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
          + JsonText.quoted(version)
          + (continueToken.isEmpty() ? "" : ",\"continue\":" + JsonText.quoted(continueToken))
          + (remaining == null ? "" : ",\"remainingItemCount\":" + remaining)
          + "}";
    }
  }

  /**
   * The form of a single object of a type.
   *
   * @throws StatusException 406 if it cannot have the form that is wanted
   */
  static ObjectForm ofObject(TypeDefinition definition, Representation wanted)
      throws StatusException {
    return switch (wanted.kind()) {
      case OBJECTS -> plain(definition);
      default -> plain(definition);
    };
  }

  /**
   * The form of a list of a type.
   *
   * @throws StatusException 406 if it cannot have the form that is wanted
   */
  static ObjectForm ofList(TypeDefinition definition, Representation wanted)
      throws StatusException {
    return plain(definition);
  }

  private static ObjectForm plain(TypeDefinition definition) {
    return definition.custom()
        ? new CustomObjects(definition.type())
        : new BuiltInObjects(definition.type());
  }

  static byte[] ofAnswer(TypeDefinition definition, Representation wanted, byte[] object) {
    return object;
  }
}
