package io.watchgate.pem;

/**
 * Signals that a certificate or key cannot be used. The message continues its name: {@code "is not
 * PEM"}.
 */
public final class PemException extends Exception {
  private static final long serialVersionUID = 1;

  public PemException(String message) {
    super(message);
  }
}
