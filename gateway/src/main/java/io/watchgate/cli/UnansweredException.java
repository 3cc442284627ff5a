package io.watchgate.cli;

/** A question was not answered; the message says why and what to do, of several lines perhaps. */
final class UnansweredException extends Exception {
  private static final long serialVersionUID = 1;

  UnansweredException(String message) {
    super(message);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
