package io.watchgate.sandbox.patch;

import io.watchgate.sandbox.schema.Field;
import io.watchgate.sandbox.schema.Field.Strategy;
import io.watchgate.sandbox.schema.Type;
import java.util.Optional;

/**
 * How a value merges.
 *
 * @param type of the value; ANY where it is not known
 * @param list what happens to it if it is a list
 * @param mergeKey of a merged list of objects
 * @param path of the value, for errors
 */
record Rule(Type type, Merging list, Optional<String> mergeKey, String path) {
  enum Merging {
    MERGED,
    REPLACED
  }

  static Rule ofObject(Type type) {
    return new Rule(type, Merging.REPLACED, Optional.empty(), "");
  }

  /** The rule of a member of an object that has this one. */
  Rule member(String name) {
    String at = path.isEmpty() ? name : path + "." + name;
    return switch (type) {
      case Type.Struct struct ->
          struct.schema().field(name).map(field -> of(field, at)).orElseGet(() -> unknown(at));
      case Type.MapOf map -> new Rule(map.value(), Merging.REPLACED, Optional.empty(), at);
      case Type.ListOf _, Type.Scalar _ -> unknown(at);
    };
  }

  /** The rule of an element of a list that has this one. */
  Rule element(String key) {
    Type element = type instanceof Type.ListOf list ? list.element() : Type.Scalar.ANY;
    return new Rule(element, Merging.REPLACED, Optional.empty(), path + "[" + key + "]");
  }

  private static Rule of(Field field, String path) {
    boolean merged = field.strategies().contains(Strategy.MERGE);
    return new Rule(
        field.type(), merged ? Merging.MERGED : Merging.REPLACED, field.mergeKey(), path);
  }

  private static Rule unknown(String path) {
    return new Rule(Type.Scalar.ANY, Merging.REPLACED, Optional.empty(), path);
  }
}
