package io.watchgate.informer;

import io.watchgate.client.WatchError;
import org.jspecify.annotations.Nullable;

/** Signals that a wait cannot succeed because the informer has ended or was closed. */
public final class InformerEndedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient @Nullable WatchError error;

  InformerEndedException(@Nullable WatchError error) {
    super(error == null ? "the informer, or its client, was closed" : error.message());
    this.error = error;
  }

  /**
   * Returns the error of the gateway, or of gRPC, that ended the informer: code, reason and action;
   * null if the informer or its client was closed.
   */
  public @Nullable WatchError error() {
    return error;
  }
}
