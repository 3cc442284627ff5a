package io.watchgate.cache;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Queue that is served round robin by key (a user), in arrival order within a key. A key that
 * arrives, or whose item was polled, goes to the end of the order. An item is in the queue at most
 * once. Not thread-safe.
 */
public final class FairQueue<K, T> {
  /** Items by key, in the order of service; no set is empty. */
  private final LinkedHashMap<K, SequencedSet<T>> queues = new LinkedHashMap<>();

  private int size;

  public void add(K key, T item) {
    if (queues.computeIfAbsent(key, name -> new LinkedHashSet<>()).add(item)) {
      size++;
    }
  }

  /** Returns the first key in the order that is allowed; null if there is none. */
  public @Nullable K nextKey(Predicate<? super K> allowed) {
    for (K key : queues.keySet()) {
      if (allowed.test(key)) {
        return key;
      }
    }
    return null;
  }

  /** Returns the first item of a key that is in the queue. */
  public T first(K key) {
    return queue(key).getFirst();
  }

  /** Removes and returns the first item of a key that is in the queue. */
  public T poll(K key) {
    SequencedSet<T> queue = queue(key);
    T item = queue.getFirst();
    remove(key, item);
    if (!queue.isEmpty()) {
      queues.putLast(key, queue);
    }
    return item;
  }

  /** Removes and returns the last item of a key that is in the queue. */
  public T pollLast(K key) {
    T item = queue(key).getLast();
    remove(key, item);
    return item;
  }

  private SequencedSet<T> queue(K key) {
    return Objects.requireNonNull(queues.get(key));
  }

  /** Removes an item and returns whether it was in the queue. */
  public boolean remove(K key, T item) {
    SequencedSet<T> queue = queues.get(key);
    if (queue == null || !queue.remove(item)) {
      return false;
    }
    size--;
    if (queue.isEmpty()) {
      queues.remove(key);
    }
    return true;
  }

  /** Returns the key with the most items, the first of several; null if the queue is empty. */
  public @Nullable K largestKey() {
    K largest = null;
    for (K key : queues.keySet()) {
      if (largest == null || size(key) > size(largest)) {
        largest = key;
      }
    }
    return largest;
  }

  /** Returns the number of items of a key. */
  public int size(K key) {
    SequencedSet<T> queue = queues.get(key);
    return queue == null ? 0 : queue.size();
  }

  /** Returns the number of items. */
  public int size() {
    return size;
  }
}
