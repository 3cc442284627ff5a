package io.watchgate.e2e.kube;

/** The apiserver answered with an error. */
public final class KubeException extends RuntimeException {
  private final int code;

  KubeException(String request, int code, String answer) {
    super(request + " was answered with " + code + ": " + answer.strip());
    this.code = code;
  }

  /** The HTTP status, or the code inside an ERROR of a watch. */
  public int code() {
    return code;
  }
}
