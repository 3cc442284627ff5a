package io.watchgate.informer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an {@link Index} has, immutable. What has no object is not there. */
final class IndexState<T> {
  private final Index<T> index;
  private final HashTrie<String, HashTrie<ObjectKey, Stored<T>>> found;

  private IndexState(Index<T> index, HashTrie<String, HashTrie<ObjectKey, Stored<T>>> found) {
    this.index = index;
    this.found = found;
  }

  static <T> IndexState<T> empty(Index<T> index) {
    return new IndexState<>(index, HashTrie.empty());
  }

  IndexState<T> cleared() {
    return empty(index);
  }

  List<Stored<T>> under(String value) {
    List<Stored<T>> list = new ArrayList<>();
    @Nullable HashTrie<ObjectKey, Stored<T>> there = found.get(value);
    if (there != null) {
      there.forEach((key, object) -> list.add(object));
    }
    return list;
  }

  List<String> values() {
    List<String> values = new ArrayList<>();
    found.forEach((value, objects) -> values.add(value));
    return values;
  }

  /** This with the one in place of the other. Both have the same key. */
  IndexState<T> moved(@Nullable Stored<T> before, @Nullable Stored<T> after) {
    Set<String> now = after == null ? Set.of() : new HashSet<>(index.values().apply(after));
    HashTrie<String, HashTrie<ObjectKey, Stored<T>>> changed = found;
    if (before != null) {
      for (String value : new HashSet<>(index.values().apply(before))) {
        if (!now.contains(value)) {
          changed = without(changed, value, before.key());
        }
      }
    }
    if (after != null) {
      for (String value : now) {
        @Nullable HashTrie<ObjectKey, Stored<T>> there = changed.get(value);
        HashTrie<ObjectKey, Stored<T>> objects = there == null ? HashTrie.empty() : there;
        changed = changed.put(value, objects.put(after.key(), after));
      }
    }
    return new IndexState<>(index, changed);
  }

  private static <T> HashTrie<String, HashTrie<ObjectKey, Stored<T>>> without(
      HashTrie<String, HashTrie<ObjectKey, Stored<T>>> found, String value, ObjectKey key) {
    @Nullable HashTrie<ObjectKey, Stored<T>> there = found.get(value);
    if (there == null) {
      return found;
    }
    HashTrie<ObjectKey, Stored<T>> left = there.remove(key);
    return left.size() == 0 ? found.remove(value) : found.put(value, left);
  }
}
