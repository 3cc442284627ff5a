package io.watchgate.bench;

/** Failure of a benchmark run. The message names the reason in one line. */
public final class BenchException extends Exception {
  private static final long serialVersionUID = 1;

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
