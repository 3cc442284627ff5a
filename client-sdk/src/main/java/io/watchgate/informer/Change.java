package io.watchgate.informer;

import org.jspecify.annotations.Nullable;

/**
 * What happened to one object, or is left of several things that did.
 *
 * @param before what the handler was told last; null: it does not know the object
 * @param removal how {@code before}, or what came after it, went; null: it did not
 * @param last what was known last of the one that went
 * @param after what is there now; null: nothing
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

  static <T> Change<T> removed(StoredObject<T> last, DeletionReason removal) {
    return new Change<>(last, removal, last, null);
  }

  /** Both as one, this before the other. */
  Change<T> then(Change<T> next) {
    if (next.removal == null) {
      return new Change<>(before, removal, last, next.after);
    }
    if (before == null) {
      // What came and went meanwhile is nobody's concern.
      return new Change<>(null, null, null, next.after);
    }
    // Of the one that the handler knows it is told how that went, not how later ones did.
    return removal != null
        ? new Change<>(before, removal, last, next.after)
        : new Change<>(before, next.removal, next.last, next.after);
  }

  /** Whether nothing is left to be told. */
  boolean isNothing() {
    return before == null && after == null;
  }

  NamespacedName key() {
    StoredObject<T> any = after != null ? after : last != null ? last : before;
    if (any == null) {
      throw new IllegalStateException("nothing happened");
    }
    return any.key();
  }

  /** Tells of the object that went; apart from the rest, so that a failure costs nothing else. */
  void tellRemoval(Handler<T> handler) {
    if (before != null && removal != null && last != null) {
      handler.onDelete(last, removal);
    }
  }

  /** Tells of the state that is there now. */
  void tellState(Handler<T> handler) {
    if (after != null) {
      if (before != null && removal == null) {
        handler.onUpdate(before, after);
      } else {
        handler.onAdd(after);
      }
    }
  }
}
