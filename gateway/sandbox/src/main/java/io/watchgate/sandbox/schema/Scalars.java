package io.watchgate.sandbox.schema;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.math.BigInteger;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Checks and names of scalar types. */
final class Scalars {
  private Scalars() {}

  static boolean isValid(SchemaType.Scalar type, JsonElement value) {
    if (type == SchemaType.Scalar.ANY) {
      return true;
    }
    if (!(value instanceof JsonPrimitive primitive)) {
      return false;
    }
    return switch (type) {
      case STRING, BYTES -> primitive.isString();
      case BOOLEAN -> primitive.isBoolean();
      case INT32 -> isInteger(primitive, Integer.SIZE);
      case INT64 -> isInteger(primitive, Long.SIZE);
      case DOUBLE -> primitive.isNumber();
      case TIME -> primitive.isString() && isTime(primitive.getAsString());
      case QUANTITY -> primitive.isString() || primitive.isNumber();
      case INT_OR_STRING -> primitive.isString() || isInteger(primitive, Integer.SIZE);
      case ANY -> true;
    };
  }

  /**
   * Returns whether the value is an integer. Like the apiserver, rejects {@code 3.0} and {@code
   * 3e0}.
   */
  private static boolean isInteger(JsonPrimitive value, int bits) {
    try {
      return value.isNumber() && new BigInteger(value.getAsString()).bitLength() < bits;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean isTime(String text) {
    try {
      OffsetDateTime.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  static String name(SchemaType type) {
    return switch (type) {
      case SchemaType.Struct _ -> "an object";
      case SchemaType.ListOf _ -> "an array";
      case SchemaType.MapOf _ -> "an object";
      case SchemaType.Scalar scalar ->
          switch (scalar) {
            case STRING, BYTES -> "a string";
            case BOOLEAN -> "a boolean";
            case INT32 -> "a 32-bit integer";
            case INT64 -> "a 64-bit integer";
            case DOUBLE -> "a number";
            case TIME -> "a time such as 2026-01-31T00:00:00Z";
            case QUANTITY -> "a quantity such as 500m";
            case INT_OR_STRING -> "an integer or a string";
            case ANY -> "any value";
          };
    };
  }

  /** Returns the kind of a value, without its content. */
  static String kind(JsonElement value) {
    if (value.isJsonObject()) {
      return "an object";
    }
    if (value.isJsonArray()) {
      return "an array";
    }
    if (value instanceof JsonPrimitive primitive) {
      return primitive.isString()
          ? "a string"
          : primitive.isBoolean() ? "a boolean" : "the number " + primitive.getAsString();
    }
    return "null";
  }
}
