package io.watchgate.error;

/** Exception that carries the error reply of a refused request. */
public final class ApiException extends Exception {
  private final transient ApiError error;

  public ApiException(ApiError refusal) {
    super(refusal.message(), null, false, false);
    this.error = refusal;
  }

  public ApiError error() {
    return error;
  }
}
