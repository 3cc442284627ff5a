package io.watchgate.sandbox.protobuf;

/**
 * Thrown if bytes are not an object in protobuf, or if its type is unknown. The message has one
 * line.
 */
public final class ProtobufException extends Exception {
  ProtobufException(String message) {
    super(message, null, false, false);
  }
}
