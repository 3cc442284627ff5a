package io.watchgate.informer;

/** A handler's place at an informer. Thread-safe. */
public interface HandlerRegistration extends AutoCloseable {
  /** Whether it was told of all that was there when it came. */
  boolean hasSynced();

  /** How many changes it was not told of yet, without those of its beginning. */
  int waiting();

  /**
   * Removes the handler: it is told of nothing more. Waits until it has returned from what it is
   * being told, unless a handler calls this, that one or another. May be called more than once.
   */
  @Override
  void close();
}
