package io.watchgate.controller;

import io.watchgate.informer.Handler;
import io.watchgate.informer.ObjectKey;
import io.watchgate.informer.Removal;
import io.watchgate.informer.Stored;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Handler that queues the keys which objects lead to. The keys of the last state of each object are
 * kept: programs may change what a decoder made, so that a later look would give others. Called by
 * one thread at a time.
 */
final class MappingHandler<T> implements Handler<T> {
  private final Function<Stored<T>, ? extends Collection<ObjectKey>> mapping;
  private final WorkQueue<ObjectKey> queue;

  /** Without the objects that lead to nothing. */
  private final Map<ObjectKey, List<ObjectKey>> kept = new HashMap<>();

  MappingHandler(
      Function<Stored<T>, ? extends Collection<ObjectKey>> mapping, WorkQueue<ObjectKey> queue) {
    this.mapping = mapping;
    this.queue = queue;
  }

  @Override
  public void onAdd(Stored<T> object) {
    take(object);
  }

  @Override
  public void onUpdate(Stored<T> before, Stored<T> after) {
    kept(after.key()).forEach(queue::add);
    take(after);
  }

  @Override
  public void onDelete(Stored<T> last, Removal removal) {
    List<ObjectKey> before = kept.remove(last.key());
    if (before != null) {
      before.forEach(queue::add);
    }
    queueKeys(last, new LinkedHashSet<>());
  }

  private List<ObjectKey> kept(ObjectKey object) {
    return kept.getOrDefault(object, List.of());
  }

  /** If the function throws, the object may still concern what it concerned before. */
  private void take(Stored<T> object) {
    Set<ObjectKey> keys = new LinkedHashSet<>();
    boolean isWhole = false;
    try {
      queueKeys(object, keys);
      isWhole = true;
    } finally {
      if (!isWhole) {
        keys.addAll(kept(object.key()));
      }
      if (keys.isEmpty()) {
        kept.remove(object.key());
      } else {
        kept.put(object.key(), List.copyOf(keys));
      }
    }
  }

  /**
   * Queues each key as it comes: one that is null, or an exception behind some, costs no other key.
   *
   * @param keys to which they are added
   */
  private void queueKeys(Stored<T> object, Set<ObjectKey> keys) {
    boolean hasNull = false;
    for (ObjectKey key : mapping.apply(object)) {
      if (key == null) {
        hasNull = true;
      } else {
        keys.add(key);
        queue.add(key);
      }
    }
    if (hasNull) {
      throw new NullPointerException("the mapping function gave a null key");
    }
  }
}
