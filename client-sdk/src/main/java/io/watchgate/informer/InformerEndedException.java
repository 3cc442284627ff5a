package io.watchgate.informer;

import io.watchgate.client.WatchError;
import org.jspecify.annotations.Nullable;

/** What was waited for does not come any more: the informer has ended, or was closed. */
public final class InformerEndedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient @Nullable WatchError error;

  InformerEndedException(@Nullable WatchError error) {
    super(error == null ? "the informer, or its client, was closed" : error.message());
    this.error = error;
  }

  /**
   * Why the gateway, or gRPC, ended it: code, reason and what to do; null: it, or its client, was
   * closed.
   */
  public @Nullable WatchError error() {
    return error;
  }
}
