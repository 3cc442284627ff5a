package io.watchgate.fanout;

/** Exception that carries the error reply of a refused request. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1;
  private final transient ApiError refusal;

  public ApiException(ApiError refusal) {
    super(refusal.message(), null, false, false);
    this.refusal = refusal;
  }

  public ApiError refusal() {
    return refusal;
  }
}
