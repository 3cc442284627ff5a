package io.watchgate.error;

/** Exception that carries the error reply of a refused request. */
public final class ApiException extends Exception {
  private final transient ApiError error;

  public ApiException(ApiError error) {
    super(error.message(), null, false, false);
    this.error = error;
  }

  public ApiError error() {
    return error;
  }
}
