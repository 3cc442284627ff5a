package io.watchgate.sandbox.schema;

import com.google.gson.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Fields of a built-in type or of a part of it. */
public final class Schema {
  private final String name;
  private final Map<String, SchemaField> fields;

  Schema(String name, Map<String, SchemaField> fields) {
    this.name = name;
    this.fields = fields;
  }

  /**
   * Returns the schema of a kind; empty if it is not a known built-in type.
   *
   * @param apiVersion apiVersion with the group: {@code apps/v1}, {@code v1}
   */
  public static Optional<Schema> of(String apiVersion, String kind) {
    return SchemaDefinitions.builtIn().ofKind(apiVersion, kind);
  }

  /** Returns the name of the definition, such as {@code core.v1.PodSpec}. */
  public String name() {
    return name;
  }

  public Optional<SchemaField> field(String field) {
    return Optional.ofNullable(fields.get(field));
  }

  public Collection<SchemaField> fields() {
    return fields.values();
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
   * Returns the paths of fields that the type does not have, such as {@code
   * spec.containers[0].img}, in the order of the object. Skips values of a wrong type.
   */
  public List<String> unknownFields(JsonObject object) {
    return new SchemaDecoder().unknownFields(this, object);
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
