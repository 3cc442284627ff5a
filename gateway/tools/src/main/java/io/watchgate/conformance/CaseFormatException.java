package io.watchgate.conformance;

/** Failure of reading a case or a list of known failures; the message says what to correct. */
public final class CaseFormatException extends Exception {
  private static final long serialVersionUID = 1;

  CaseFormatException(String message) {
    super(message);
  }
}
