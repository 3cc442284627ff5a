package io.watchgate.http;

/**
 * Refusal of a read because a limit of the gateway is reached: of open watches, of feeds, or of
 * answers that are being sent.
 */
final class ReadLimitException extends Exception {
  private static final long serialVersionUID = 1;

  ReadLimitException() {
    super("too many watches, feeds or answers", null, false, false);
  }
}
