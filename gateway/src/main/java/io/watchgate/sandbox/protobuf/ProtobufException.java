package io.watchgate.sandbox.protobuf;

/** Bytes that are no object in protobuf, or none of a type that is known here. One line. */
public final class ProtobufException extends Exception {
  private static final long serialVersionUID = 1;

  ProtobufException(String message) {
    super(message, null, false, false);
  }
}
