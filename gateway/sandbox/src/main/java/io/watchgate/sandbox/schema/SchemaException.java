package io.watchgate.sandbox.schema;

/** Thrown if a value has another type than its field. The message names the field, on one line. */
public final class SchemaException extends Exception {
  SchemaException(String path, String expected, String found) {
    super(path + " must be " + expected + ", not " + found, null, false, false);
  }
}
