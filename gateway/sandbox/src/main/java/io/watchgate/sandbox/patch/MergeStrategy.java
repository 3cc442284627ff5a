package io.watchgate.sandbox.patch;

import io.watchgate.sandbox.schema.SchemaField;
import io.watchgate.sandbox.schema.SchemaField.Strategy;
import io.watchgate.sandbox.schema.SchemaType;
import java.util.Optional;

/**
 * Rule for merging a value.
 *
 * @param type type of the value; ANY if it is unknown
 * @param list handling of a list
 * @param mergeKey merge key of a merged list of objects
 * @param path path of the value, for error messages
 */
record MergeStrategy(SchemaType type, Merging list, Optional<String> mergeKey, String path) {
  enum Merging {
    MERGED,
    REPLACED
  }

  static MergeStrategy ofObject(SchemaType type) {
    return new MergeStrategy(type, Merging.REPLACED, Optional.empty(), "");
  }

  /** Returns the rule of a member of this object. */
  MergeStrategy member(String name) {
    String at = path.isEmpty() ? name : path + "." + name;
    return switch (type) {
      case SchemaType.Struct struct ->
          struct.schema().field(name).map(field -> of(field, at)).orElseGet(() -> unknown(at));
      case SchemaType.MapOf map ->
          new MergeStrategy(map.value(), Merging.REPLACED, Optional.empty(), at);
      case SchemaType.ListOf _, SchemaType.Scalar _ -> unknown(at);
    };
  }

  /** Returns the rule of an element of this list. */
  MergeStrategy element(String key) {
    SchemaType element =
        type instanceof SchemaType.ListOf list ? list.element() : SchemaType.Scalar.ANY;
    return new MergeStrategy(element, Merging.REPLACED, Optional.empty(), path + "[" + key + "]");
  }

  private static MergeStrategy of(SchemaField field, String path) {
    boolean merged = field.strategies().contains(Strategy.MERGE);
    return new MergeStrategy(
        field.type(), merged ? Merging.MERGED : Merging.REPLACED, field.mergeKey(), path);
  }

  private static MergeStrategy unknown(String path) {
    return new MergeStrategy(SchemaType.Scalar.ANY, Merging.REPLACED, Optional.empty(), path);
  }
}
