package io.watchgate.sandbox.schema;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Fields of a built-in type or of a part of it.
 *
 * @param name name of the definition, such as {@code core.v1.PodSpec}
 */
public record Schema(String name, Map<String, SchemaField> fields) {
  /**
   * Returns the schema of a kind; empty if it is not a known built-in type.
   *
   * @param apiVersion apiVersion with the group: {@code apps/v1}, {@code v1}
   */
  public static Optional<Schema> of(String apiVersion, String kind) {
    return SchemaDefinitions.builtIn().ofKind(apiVersion, kind);
  }

  public Optional<SchemaField> field(String field) {
    return Optional.ofNullable(fields.get(field));
  }

  /**
   * Returns the part of an object that an apiserver stores, and its unknown fields. Adds no
   * defaults, and keeps quantities and times as written.
   *
   * @throws SchemaException if a value has another type than its field
   */
  public DecodedObject decode(JsonObject object) throws SchemaException {
    return new SchemaDecoder().decode(this, object);
  }

  /**
   * Returns the error message of {@code fieldValidation=Strict}.
   *
   * @param unknownFields paths of the unknown fields, not empty
   */
  public static String strictError(List<String> unknownFields) {
    return unknownFields.stream()
        .map(field -> "unknown field \"" + field + "\"")
        .collect(Collectors.joining(", ", "strict decoding error: ", ""));
  }
}
