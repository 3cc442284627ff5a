package io.watchgate.sandbox.protobuf;

/**
 * A field of a message.
 *
 * @param name in JSON
 * @param zero what becomes of a value that is zero: Go writes it in protobuf in any case
 * @param type of the value, or of each of the values
 */
record ProtobufField(String name, Zero zero, Count count, String type) {

  /** Of a zero value, in JSON. */
  enum Zero {
    KEPT,
    LEFT_OUT
  }

  /** How many values there can be. */
  enum Count {
    ONE,
    LIST,
    /** By a text. */
    MAP,
    /** One, whose members stand in the object around it. */
    INLINE
  }

  /** Reads {@code name? []type}. */
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
