package io.watchgate.bench;

/** The run cannot go on; the message says why in one line. */
public final class BenchException extends Exception {
  private static final long serialVersionUID = 1;

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
