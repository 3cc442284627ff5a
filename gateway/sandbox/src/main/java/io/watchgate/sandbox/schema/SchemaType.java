package io.watchgate.sandbox.schema;

/** Type of a value. */
public sealed interface SchemaType {

  /**
   * An object with known fields.
   *
   * @param name name of its definition: {@code core.v1.PodSpec}
   */
  record Struct(String name) implements SchemaType {
    public Schema schema() {
      return SchemaDefinitions.builtIn().schema(name);
    }
  }

  /** A list. */
  record ListOf(SchemaType element) implements SchemaType {}

  /** An object whose keys the user chooses. */
  record MapOf(SchemaType value) implements SchemaType {}

  /** A value without known parts. */
  enum Scalar implements SchemaType {
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
