package io.watchgate.informer;

/**
 * Is told of what changes, one thing at a time, in the order in which it happened to each object:
 * what was added is updated or deleted, and nothing else is. May block; what happens then to those
 * that follow says {@link OverflowPolicy}. An exception is reported ({@link
 * InformerProblem.HandlerFailed}), and the next is told all the same.
 *
 * <p>What it is told of may be older than what the {@linkplain Informer#snapshot store} has by
 * then.
 */
public interface Handler<T> {
  /** An object is there that was not. */
  default void onAdd(StoredObject<T> object) {}

  /**
   * An object, of the same uid, is in another state; or, of both the same, is shown again ({@link
   * HandlerSettings#showingAllEvery}).
   */
  default void onUpdate(StoredObject<T> before, StoredObject<T> after) {}

  /**
   * An object is gone.
   *
   * @param last the last state that was known of it
   */
  default void onDelete(StoredObject<T> last, DeletionReason removal) {}

  /** All that was there at the beginning was added. Once. */
  default void onSynced() {}
}
