package io.watchgate.sandbox.schema;

/** The type of a value. */
public sealed interface Type {

  /**
   * An object with known fields.
   *
   * @param name of its definition: {@code core.v1.PodSpec}
   */
  record Struct(String name) implements Type {
    public Schema schema() {
      return Definitions.builtIn().schema(name);
    }
  }

  /** A list. */
  record ListOf(Type element) implements Type {}

  /** An object whose keys are the user's. */
  record MapOf(Type value) implements Type {}

  /** What has no parts, or none that are known. */
  enum Scalar implements Type {
    STRING,
    BYTES,
    BOOLEAN,
    INT32,
    INT64,
    DOUBLE,
    TIME,
    QUANTITY,
    INT_OR_STRING,
    /** Any JSON. */
    ANY
  }
}
