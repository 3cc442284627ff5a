package io.watchgate.sandbox.wire;

/** Bytes that are no object in protobuf, or none of a type that is known here. One line. */
public final class WireException extends Exception {
  private static final long serialVersionUID = 1;

  WireException(String message) {
    super(message, null, false, false);
  }
}
