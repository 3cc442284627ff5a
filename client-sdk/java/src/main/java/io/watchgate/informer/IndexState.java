package io.watchgate.informer;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Content of one {@link Index}, immutable. It has no entry for a value without objects. It uses
 * only the values that are stored with the objects, because programs may modify a decoded object.
 */
final class IndexState<T> {
  /** Number of the index by namespace, whose values are part of the keys. */
  static final int NAMESPACE = -1;

  /** Number of this index in the order given to the informer. */
  private final int number;

  private final PersistentHashMap<String, PersistentHashMap<NamespacedName, StoredObject<T>>>
      objectsByValue;

  private IndexState(
      int number,
      PersistentHashMap<String, PersistentHashMap<NamespacedName, StoredObject<T>>> found) {
    this.number = number;
    this.objectsByValue = found;
  }

  static <T> IndexState<T> empty(int number) {
    return new IndexState<>(number, PersistentHashMap.empty());
  }

  List<StoredObject<T>> objectsOf(String value) {
    List<StoredObject<T>> list = new ArrayList<>();
    @Nullable PersistentHashMap<NamespacedName, StoredObject<T>> stored = objectsByValue.get(value);
    if (stored != null) {
      stored.forEach((key, object) -> list.add(object));
    }
    return list;
  }

  List<String> values() {
    List<String> values = new ArrayList<>();
    objectsByValue.forEach((value, objects) -> values.add(value));
    return values;
  }

  /**
   * Returns the index after {@code before} was replaced by {@code after}, which has the same key.
   */
  IndexState<T> replaced(@Nullable StoredObject<T> before, @Nullable StoredObject<T> after) {
    Set<String> now = after == null ? Set.of() : values(after);
    PersistentHashMap<String, PersistentHashMap<NamespacedName, StoredObject<T>>> changed =
        objectsByValue;
    if (before != null) {
      for (String value : values(before)) {
        if (!now.contains(value)) {
          changed = without(changed, value, before.key());
        }
      }
    }
    if (after != null) {
      for (String value : now) {
        @Nullable PersistentHashMap<NamespacedName, StoredObject<T>> stored = changed.get(value);
        PersistentHashMap<NamespacedName, StoredObject<T>> objects =
            stored == null ? PersistentHashMap.empty() : stored;
        changed = changed.put(value, objects.put(after.key(), after));
      }
    }
    return new IndexState<>(number, changed);
  }

  private Set<String> values(StoredObject<T> object) {
    return number == NAMESPACE ? Set.of(object.key().namespace()) : object.indexValues.get(number);
  }

  private static <T>
      PersistentHashMap<String, PersistentHashMap<NamespacedName, StoredObject<T>>> without(
          PersistentHashMap<String, PersistentHashMap<NamespacedName, StoredObject<T>>> found,
          String value,
          NamespacedName key) {
    @Nullable PersistentHashMap<NamespacedName, StoredObject<T>> stored = found.get(value);
    if (stored == null) {
      return found;
    }
    PersistentHashMap<NamespacedName, StoredObject<T>> left = stored.remove(key);
    return left.size() == 0 ? found.remove(value) : found.put(value, left);
  }
}
