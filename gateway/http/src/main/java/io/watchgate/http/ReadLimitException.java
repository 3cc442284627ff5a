package io.watchgate.http;

/** Refusal of a read because as much is open or being sent as the gateway may have. */
final class ReadLimitException extends Exception {
  private static final long serialVersionUID = 1;

  ReadLimitException() {
    super("too many watches, feeds or answers", null, false, false);
  }
}
