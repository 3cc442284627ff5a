package io.watchgate.sandbox.patch;

import io.watchgate.sandbox.schema.SchemaField;
import io.watchgate.sandbox.schema.SchemaField.Strategy;
import io.watchgate.sandbox.schema.SchemaType;
import java.util.Optional;

/**
 * How a value merges.
 *
 * @param type of the value; ANY where it is not known
 * @param list what happens to it if it is a list
 * @param mergeKey of a merged list of objects
 * @param path of the value, for errors
 */
record MergeStrategy(SchemaType type, Merging list, Optional<String> mergeKey, String path) {
  enum Merging {
    MERGED,
    REPLACED
  }

  static MergeStrategy ofObject(SchemaType type) {
    return new MergeStrategy(type, Merging.REPLACED, Optional.empty(), "");
  }

  /** The rule of a member of an object that has this one. */
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

  /** The rule of an element of a list that has this one. */
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
