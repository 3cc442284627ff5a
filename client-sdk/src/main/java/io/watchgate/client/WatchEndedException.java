package io.watchgate.client;

/** A watch has ended and cannot go on by itself: what was asked for cannot be had. */
public final class WatchEndedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient WatchError error;

  WatchEndedException(WatchError error) {
    super(error.message());
    this.error = error;
  }

  /** Code, reason and what to do; null only in an exception that was serialized. */
  public WatchError error() {
    return error;
  }
}
