package io.watchgate.informer;

/** Registration of a handler at an informer. Thread-safe. */
public interface HandlerRegistration extends AutoCloseable {
  /** Returns whether the handler has received all initial objects. */
  boolean hasSynced();

  /** Returns the number of queued changes, without the initial objects. */
  int pendingChanges();

  /**
   * Removes the handler, which receives no further change. Waits until a running call of the
   * handler has returned, unless the caller is itself a handler. May be called more than once.
   */
  @Override
  void close();
}
