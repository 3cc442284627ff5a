package io.watchgate.http;

/** Refusal of a watch because as many watches or feeds are open as the gateway may have. */
final class ReadLimitException extends Exception {
  private static final long serialVersionUID = 1;

  ReadLimitException() {
    super("too many watches or feeds", null, false, false);
  }
}
