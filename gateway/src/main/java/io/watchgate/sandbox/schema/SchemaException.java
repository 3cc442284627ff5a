package io.watchgate.sandbox.schema;

/** A value that is of another type than its field. The message names the field; one line. */
public final class SchemaException extends Exception {
  private static final long serialVersionUID = 1;

  SchemaException(String path, String expected, String found) {
    super(path + " must be " + expected + ", not " + found, null, false, false);
  }
}
