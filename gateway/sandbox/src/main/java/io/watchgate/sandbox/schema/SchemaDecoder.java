package io.watchgate.sandbox.schema;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.sandbox.schema.SchemaField.Presence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decoder of one object. Single use. */
final class SchemaDecoder {
  private final List<String> unknown = new ArrayList<>();

  DecodedObject decode(Schema schema, JsonObject object) throws SchemaException {
    return new DecodedObject(struct(schema, object, ""), unknown);
  }

  private JsonObject struct(Schema schema, JsonObject object, String path) throws SchemaException {
    JsonObject kept = new JsonObject();
    for (Map.Entry<String, JsonElement> member : object.entrySet()) {
      String at = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
      Optional<SchemaField> field = schema.field(member.getKey());
      if (field.isEmpty()) {
        unknown.add(at);
        continue;
      }
      JsonElement value = value(field.get().type(), member.getValue(), at);
      if (field.get().presence() == Presence.REQUIRED || !isEmpty(field.get().type(), value)) {
        kept.add(member.getKey(), value);
      }
    }
    return kept;
  }

  /** Returns whether an optional field is left out. Null counts as the zero value of the type. */
  private static boolean isEmpty(SchemaType type, JsonElement value) {
    if (value.isJsonNull()) {
      return true;
    }
    return switch (type) {
      case SchemaType.ListOf _ -> value instanceof JsonArray list && list.isEmpty();
      case SchemaType.MapOf _ -> value instanceof JsonObject map && map.isEmpty();
      case SchemaType.Struct _, SchemaType.Scalar _ -> false;
    };
  }

  private JsonElement value(SchemaType type, JsonElement value, String path)
      throws SchemaException {
    if (value.isJsonNull()) {
      return value;
    }
    return switch (type) {
      case SchemaType.Struct struct when value instanceof JsonObject object ->
          struct(struct.schema(), object, path);
      case SchemaType.ListOf list when value instanceof JsonArray array ->
          list(list.element(), array, path);
      case SchemaType.MapOf map when value instanceof JsonObject object ->
          map(map.value(), object, path);
      case SchemaType.Scalar scalar when Scalars.isValid(scalar, value) -> value;
      default -> throw new SchemaException(path, Scalars.name(type), Scalars.kind(value));
    };
  }

  private JsonArray list(SchemaType element, JsonArray array, String path) throws SchemaException {
    JsonArray kept = new JsonArray(array.size());
    for (int i = 0; i < array.size(); i++) {
      kept.add(nullToZero(element, value(element, array.get(i), path + "[" + i + "]")));
    }
    return kept;
  }

  private JsonObject map(SchemaType type, JsonObject object, String path) throws SchemaException {
    JsonObject kept = new JsonObject();
    for (Map.Entry<String, JsonElement> member : object.entrySet()) {
      JsonElement value = value(type, member.getValue(), path + "." + member.getKey());
      kept.add(member.getKey(), nullToZero(type, value));
    }
    return kept;
  }

  /**
   * Returns the zero value for null, because an element cannot be left out: {@code
   * {"data":{"a":null}}} is an empty string.
   */
  private static JsonElement nullToZero(SchemaType type, JsonElement value) {
    if (!value.isJsonNull()) {
      return value;
    }
    return switch (type) {
      case SchemaType.Struct _ -> new JsonObject();
      case SchemaType.Scalar scalar when scalar == SchemaType.Scalar.STRING ->
          new JsonPrimitive("");
      case SchemaType.Scalar _, SchemaType.ListOf _, SchemaType.MapOf _ -> JsonNull.INSTANCE;
    };
  }
}
