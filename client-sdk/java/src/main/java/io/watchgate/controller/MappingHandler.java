package io.watchgate.controller;

import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Handler that queues the keys which an object maps to. The keys of the last state of each object
 * are stored, because programs may modify decoded objects, so that mapping a state again could
 * return other keys. Called by one thread at a time.
 */
final class MappingHandler<T> implements Handler<T> {
  private final Function<StoredObject<T>, ? extends Collection<NamespacedName>> mapping;
  private final WorkQueue<NamespacedName> queue;

  /** Keys of each object; objects without keys have no entry. */
  private final Map<NamespacedName, List<NamespacedName>> kept = new HashMap<>();

  MappingHandler(
      Function<StoredObject<T>, ? extends Collection<NamespacedName>> mapping,
      WorkQueue<NamespacedName> queue) {
    this.mapping = mapping;
    this.queue = queue;
  }

  @Override
  public void onAdd(StoredObject<T> object) {
    updateKeys(object);
  }

  @Override
  public void onUpdate(StoredObject<T> before, StoredObject<T> after) {
    kept(after.key()).forEach(queue::add);
    updateKeys(after);
  }

  @Override
  public void onDelete(StoredObject<T> last, DeletionReason removal) {
    List<NamespacedName> before = kept.remove(last.key());
    if (before != null) {
      before.forEach(queue::add);
    }
    queueKeys(last, new LinkedHashSet<>());
  }

  private List<NamespacedName> kept(NamespacedName object) {
    return kept.getOrDefault(object, List.of());
  }

  /**
   * Queues and stores the keys of a state. If the function throws, the previous keys are kept as
   * well, because the object may still concern them.
   */
  private void updateKeys(StoredObject<T> object) {
    Set<NamespacedName> keys = new LinkedHashSet<>();
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
   * Queues each key immediately, so that a null key, or an exception after some keys, affects no
   * other key.
   *
   * @param keys set that the keys are added to
   */
  private void queueKeys(StoredObject<T> object, Set<NamespacedName> keys) {
    boolean hasNull = false;
    for (NamespacedName key : mapping.apply(object)) {
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
