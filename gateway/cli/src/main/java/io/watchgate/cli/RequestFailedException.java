package io.watchgate.cli;

/** Failure of a unary request. The message has the reason and a hint, in one or several lines. */
final class RequestFailedException extends Exception {
  private static final long serialVersionUID = 1;

  RequestFailedException(String message) {
    super(message);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
