package io.watchgate.sandbox.protobuf;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** Reader of one protobuf message with its nested messages. Single use. */
final class MessageReader {
  private static final int MAX_DEPTH = 100;
  private static final String SCHEMA = "apiextensions/v1.JSONSchemaProps";

  private final CodedInputStream in;
  private int depth;

  MessageReader(CodedInputStream in) {
    this.in = in;
  }

  /** Reads the message that fills the input. */
  JsonObject message(String name) throws IOException, ProtobufException {
    return members(MessageTypes.known().fields(name));
  }

  private JsonObject members(Map<Integer, ProtobufField> fields)
      throws IOException, ProtobufException {
    if (++depth > MAX_DEPTH) {
      throw new ProtobufException("the protobuf is nested more than " + MAX_DEPTH + " deep");
    }
    JsonObject object = new JsonObject();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      ProtobufField field = fields.get(WireFormat.getTagFieldNumber(tag));
      if (field == null) {
        in.skipField(tag);
      } else {
        requireWireType(tag, field.count() == ProtobufField.Count.MAP ? "{}" : field.type());
        add(object, field);
      }
    }
    depth--;
    return object;
  }

  private static void requireWireType(int tag, String type) throws ProtobufException {
    int expected =
        switch (type) {
          case "int", "bool" -> WireFormat.WIRETYPE_VARINT;
          case "double" -> WireFormat.WIRETYPE_FIXED64;
          default -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
        };
    if (WireFormat.getTagWireType(tag) != expected) {
      throw new ProtobufException("the protobuf has a value of another type than its field");
    }
  }

  private void add(JsonObject object, ProtobufField field) throws IOException, ProtobufException {
    switch (field.count()) {
      case ONE -> {
        JsonElement value = value(field.type());
        if (field.zero() == ProtobufField.Zero.KEPT || !isZero(value)) {
          object.add(field.name(), value);
        }
      }
      case LIST -> {
        if (!(object.get(field.name()) instanceof JsonArray)) {
          object.add(field.name(), new JsonArray());
        }
        object.getAsJsonArray(field.name()).add(value(field.type()));
      }
      case MAP -> {
        if (!(object.get(field.name()) instanceof JsonObject)) {
          object.add(field.name(), new JsonObject());
        }
        entry(object.getAsJsonObject(field.name()), field.type());
      }
      case INLINE -> nested(MessageTypes.known().fields(field.type())).asMap().forEach(object::add);
    }
  }

  private void entry(JsonObject map, String type) throws IOException, ProtobufException {
    JsonObject entry =
        nested(
            Map.of(
                1,
                    new ProtobufField(
                        "key", ProtobufField.Zero.KEPT, ProtobufField.Count.ONE, "string"),
                2,
                    new ProtobufField(
                        "value", ProtobufField.Zero.KEPT, ProtobufField.Count.ONE, type)));
    JsonElement key = entry.get("key");
    JsonElement value = entry.get("value");
    map.add(key == null ? "" : key.getAsString(), value == null ? new JsonPrimitive("") : value);
  }

  private JsonObject nested(Map<Integer, ProtobufField> fields)
      throws IOException, ProtobufException {
    int end = in.pushLimit(in.readRawVarint32());
    JsonObject object = members(fields);
    in.popLimit(end);
    return object;
  }

  private static boolean isZero(JsonElement value) {
    return value.isJsonNull()
        || (value instanceof JsonPrimitive primitive
            && (primitive.getAsString().isEmpty()
                || primitive.getAsString().equals("false")
                || (primitive.isNumber() && primitive.getAsDouble() == 0)));
  }

  private JsonElement value(String type) throws IOException, ProtobufException {
    return switch (type) {
      case "string" -> new JsonPrimitive(in.readStringRequireUtf8());
      case "int" -> new JsonPrimitive(in.readInt64());
      case "bool" -> new JsonPrimitive(in.readBool());
      case "double" -> new JsonPrimitive(in.readDouble());
      case "bytes" -> new JsonPrimitive(Base64.getEncoder().encodeToString(in.readByteArray()));
      case "time" -> SpecialValues.time(nested(SpecialValues.TIME), SpecialValues.Digits.NONE);
      case "microtime" -> SpecialValues.time(nested(SpecialValues.TIME), SpecialValues.Digits.SIX);
      case "quantity" -> SpecialValues.quantity(nested(SpecialValues.QUANTITY));
      case "intorstring" -> SpecialValues.intOrString(nested(SpecialValues.INT_OR_STRING));
      case "raw" -> raw(nested(SpecialValues.RAW));
      case "schema-or-array", "schema-or-strings", "schema-or-bool" ->
          SpecialValues.choice(nested(SpecialValues.choices(type, SCHEMA)));
      default -> nested(MessageTypes.known().fields(type));
    };
  }

  private static JsonElement raw(JsonObject message) throws ProtobufException {
    JsonElement bytes = message.get("raw");
    if (bytes == null || bytes.getAsString().isEmpty()) {
      return JsonNull.INSTANCE;
    }
    try {
      byte[] json = Base64.getDecoder().decode(bytes.getAsString());
      return JsonParser.parseString(new String(json, StandardCharsets.UTF_8));
    } catch (JsonParseException e) {
      throw new ProtobufException("the protobuf has JSON in it that is malformed");
    }
  }
}
