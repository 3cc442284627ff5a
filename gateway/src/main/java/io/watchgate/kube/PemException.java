package io.watchgate.kube;

/** A certificate or key cannot be used. The message goes behind its name: {@code "is not PEM"}. */
final class PemException extends Exception {
  private static final long serialVersionUID = 1;

  PemException(String message) {
    super(message);
  }
}
