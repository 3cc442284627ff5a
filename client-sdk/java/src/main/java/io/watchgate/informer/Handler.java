package io.watchgate.informer;

/**
 * Callback for the changes of an informer. Calls are made one at a time, in the order of the
 * changes of each object. Only an object that was added is updated or deleted. A handler may block;
 * {@link OverflowPolicy} decides what happens to the changes that wait. An exception is reported
 * ({@link InformerProblem.HandlerFailed}), and the next change is delivered.
 *
 * <p>A delivered state may be older than the state in the {@linkplain Informer#snapshot store}.
 */
public interface Handler<T> {
  /** Called for a new object. */
  default void onAdd(StoredObject<T> object) {}

  /**
   * Called for a new state of an object with the same uid. On a resync, both arguments are the same
   * state ({@link HandlerSettings#resyncingEvery}).
   */
  default void onUpdate(StoredObject<T> before, StoredObject<T> after) {}

  /**
   * Called for a removed object.
   *
   * @param last last known state of the object
   */
  default void onDelete(StoredObject<T> last, DeletionReason removal) {}

  /** Called once, after all initial objects were added. */
  default void onSynced() {}
}
