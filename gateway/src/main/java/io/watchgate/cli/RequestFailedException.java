package io.watchgate.cli;

/** A question was not answered; the message says why and what to do, of several lines perhaps. */
final class RequestFailedException extends Exception {
  private static final long serialVersionUID = 1;

  RequestFailedException(String message) {
    super(message);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
