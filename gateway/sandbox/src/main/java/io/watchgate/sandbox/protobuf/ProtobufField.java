package io.watchgate.sandbox.protobuf;

/**
 * A field of a protobuf message.
 *
 * @param name name in JSON
 * @param zero handling of a zero value, which Go always writes in protobuf
 * @param type type of the value, or of each element
 */
record ProtobufField(String name, Zero zero, Count count, String type) {

  /** Handling of a zero value in JSON. */
  enum Zero {
    KEPT,
    LEFT_OUT
  }

  /** Cardinality of a field. */
  enum Count {
    ONE,
    LIST,
    /** Values by string keys. */
    MAP,
    /** A message whose members belong to the enclosing object. */
    INLINE
  }

  /** Parses {@code name? []type}. */
  static ProtobufField of(String name, String type) {
    Zero zero = name.endsWith("?") ? Zero.LEFT_OUT : Zero.KEPT;
    String plain = zero == Zero.KEPT ? name : name.substring(0, name.length() - 1);
    if (plain.equals("inline")) {
      return new ProtobufField(plain, zero, Count.INLINE, type);
    }
    return switch (type.substring(0, 2)) {
      case "[]" -> new ProtobufField(plain, zero, Count.LIST, type.substring(2));
      case "{}" -> new ProtobufField(plain, zero, Count.MAP, type.substring(2));
      default -> new ProtobufField(plain, zero, Count.ONE, type);
    };
  }
}
