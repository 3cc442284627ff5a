package io.watchgate.sandbox.protobuf;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/** Converter of values whose JSON differs from their message: times, quantities and unions. */
final class SpecialValues {
  static final Map<Integer, ProtobufField> TIME =
      Map.of(1, kept("seconds", "int"), 2, kept("nanos", "int"));
  static final Map<Integer, ProtobufField> QUANTITY = Map.of(1, kept("text", "string"));
  static final Map<Integer, ProtobufField> INT_OR_STRING =
      Map.of(1, kept("type", "int"), 2, kept("int", "int"), 3, kept("text", "string"));
  static final Map<Integer, ProtobufField> RAW = Map.of(1, kept("raw", "bytes"));

  private static final DateTimeFormatter MICROSECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private SpecialValues() {}

  /** Digits of a second's fraction in a time. */
  enum Digits {
    NONE,
    SIX
  }

  private static ProtobufField kept(String name, String type) {
    return ProtobufField.of(name, type);
  }

  /** Returns a time; null for an empty message. */
  static JsonElement time(JsonObject message, Digits digits) throws ProtobufException {
    if (message.isEmpty()) {
      return JsonNull.INSTANCE;
    }
    try {
      Instant time =
          Instant.ofEpochSecond(
              number(message, "seconds"), digits == Digits.NONE ? 0 : number(message, "nanos"));
      return new JsonPrimitive(digits == Digits.NONE ? time.toString() : MICROSECONDS.format(time));
    } catch (DateTimeException | ArithmeticException e) {
      throw new ProtobufException("the protobuf has a time that is beyond all times");
    }
  }

  static JsonElement quantity(JsonObject message) {
    JsonElement text = message.get("text");
    return text == null ? new JsonPrimitive("0") : text;
  }

  static JsonElement intOrString(JsonObject message) {
    JsonElement text = message.get("text");
    return number(message, "type") == 1
        ? text == null ? new JsonPrimitive("") : text
        : new JsonPrimitive(number(message, "int"));
  }

  /** Returns the fields of a message that has one of two members. */
  static Map<Integer, ProtobufField> choices(String type, String schema) {
    return switch (type) {
      case "schema-or-array" -> Map.of(1, kept("schema", schema), 2, kept("other", "[]" + schema));
      case "schema-or-strings" -> Map.of(1, kept("schema", schema), 2, kept("other", "[]string"));
      default -> Map.of(1, kept("other", "bool"), 2, kept("schema", schema));
    };
  }

  static JsonElement choice(JsonObject message) {
    JsonElement schema = message.get("schema");
    JsonElement other = message.get("other");
    return schema != null ? schema : other != null ? other : JsonNull.INSTANCE;
  }

  private static long number(JsonObject message, String name) {
    JsonElement number = message.get(name);
    return number == null ? 0 : number.getAsLong();
  }
}
