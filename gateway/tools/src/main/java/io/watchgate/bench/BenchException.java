package io.watchgate.bench;

/** Failure of a benchmark run. The message names the reason in one line. */
public final class BenchException extends Exception {
  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
