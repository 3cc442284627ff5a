package io.watchgate.sandbox.schema;

import com.google.gson.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The fields of one built-in type, or of a part of one. */
public final class Schema {
  private final String name;
  private final Map<String, SchemaField> fields;

  Schema(String name, Map<String, SchemaField> fields) {
    this.name = name;
    this.fields = fields;
  }

  /**
   * The schema of a kind; empty if it is none of the built-in ones known here.
   *
   * @param apiVersion with the group: {@code apps/v1}, {@code v1}
   */
  public static Optional<Schema> of(String apiVersion, String kind) {
    return SchemaDefinitions.builtIn().ofKind(apiVersion, kind);
  }

  /** Its definition's name, {@code core.v1.PodSpec}. */
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
   * What an apiserver keeps of an object that was sent to it, and what it does not know in it.
   * Defaults are not added, quantities and times stay as they are written.
   *
   * @throws SchemaException if a value is of another type than its field
   */
  public DecodedObject decode(JsonObject object) throws SchemaException {
    return new SchemaDecoder().decode(this, object);
  }

  /**
   * The paths of fields that the type does not have, {@code spec.containers[0].img}, in the order
   * of the object. Of a value whose type is wrong nothing is said.
   */
  public List<String> unknownFields(JsonObject object) {
    return new SchemaDecoder().unknownFields(this, object);
  }

  /** What {@code fieldValidation=Strict} says of unknown fields, of which there must be some. */
  public static String strictError(List<String> unknownFields) {
    return unknownFields.stream()
        .map(field -> "unknown field \"" + field + "\"")
        .collect(Collectors.joining(", ", "strict decoding error: ", ""));
  }
}
