package io.watchgate.informer;

import org.jspecify.annotations.Nullable;

/**
 * Change of one object, or the combination of several changes of one key.
 *
 * @param before last state that the handler has received; null: the handler does not know the
 *     object
 * @param removal reason why {@code before}, or a later state of it, was removed; null: not removed
 * @param last last known state of the removed object
 * @param after current state; null: none
 */
record Change<T>(
    @Nullable StoredObject<T> before,
    @Nullable DeletionReason removal,
    @Nullable StoredObject<T> last,
    @Nullable StoredObject<T> after) {

  static <T> Change<T> added(StoredObject<T> object) {
    return new Change<>(null, null, null, object);
  }

  static <T> Change<T> updated(StoredObject<T> before, StoredObject<T> after) {
    return new Change<>(before, null, null, after);
  }

  /** Returns the combination of this change and a later one. */
  Change<T> merge(Change<T> next) {
    if (next.removal == null) {
      return new Change<>(before, removal, last, next.after);
    }
    if (before == null) {
      // The handler needs no notification of an object that was created and removed in between.
      return new Change<>(null, null, null, next.after);
    }
    // The handler receives the removal of the object that it knows, not removals of later objects
    // of the same name.
    return removal != null
        ? new Change<>(before, removal, last, next.after)
        : new Change<>(before, next.removal, next.last, next.after);
  }

  /** Returns whether there is no difference to report. */
  boolean isEmpty() {
    return before == null && after == null;
  }

  NamespacedName key() {
    StoredObject<T> any = after != null ? after : last != null ? last : before;
    if (any == null) {
      throw new IllegalStateException("nothing happened");
    }
    return any.key();
  }

  /**
   * Calls the handler for the removed object. Separate from {@link #notifyState}, so that an
   * exception in one call does not prevent the other.
   */
  void notifyRemoval(Handler<T> handler) {
    if (before != null && removal != null && last != null) {
      handler.onDelete(last, removal);
    }
  }

  /** Calls the handler for the current state. */
  void notifyState(Handler<T> handler) {
    if (after != null) {
      if (before != null && removal == null) {
        handler.onUpdate(before, after);
      } else {
        handler.onAdd(after);
      }
    }
  }
}
