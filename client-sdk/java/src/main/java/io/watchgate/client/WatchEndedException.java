package io.watchgate.client;

/** Signals that a watch has ended and cannot continue, because its request cannot be served. */
public final class WatchEndedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient WatchError error;

  WatchEndedException(WatchError error) {
    super(error.message());
    this.error = error;
  }

  /**
   * Returns code, reason and action of the error; null only in an exception that was serialized.
   */
  public WatchError error() {
    return error;
  }
}
