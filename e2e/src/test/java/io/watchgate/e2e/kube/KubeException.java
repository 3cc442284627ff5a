package io.watchgate.e2e.kube;

/** Signals that the apiserver answered with an error. */
public final class KubeException extends RuntimeException {
  private final int code;
  private final boolean storageInitializing;

  KubeException(String request, int code, String answer) {
    super(request + " was answered with " + code + ": " + answer.strip());
    this.code = code;
    this.storageInitializing = code == 429 && answer.contains("storage is (re)initializing");
  }

  /** Returns the HTTP status, or the code inside an ERROR of a watch. */
  public int code() {
    return code;
  }

  /** Returns whether the error is temporary because a definition has just changed. */
  boolean isStorageInitializing() {
    return storageInitializing;
  }
}
