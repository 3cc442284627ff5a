package io.watchgate.informer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Queue of changes that one handler has not received yet. Guarded by {@link HandlerDispatcher},
 * which waits while the queue is full.
 *
 * <p>{@link InitialObjects} and {@link Resync} are barriers: changes are only combined between two
 * barriers, so that a handler never receives an old state after a new one.
 */
final class HandlerQueue<T> {
  private final HandlerSettings settings;
  private final Deque<Item<T>> items = new ArrayDeque<>();
  private int changes;

  /** Item of the queue. */
  sealed interface Item<T> permits SingleChange, ConflatedChanges, InitialObjects, Resync {}

  /** One change. */
  record SingleChange<T>(Change<T> change) implements Item<T> {}

  /** Combined change of each object, oldest first. */
  private record ConflatedChanges<T>(Map<NamespacedName, Change<T>> changes) implements Item<T> {}

  /** Initial objects of the handler, followed by {@link Handler#onSynced}. */
  record InitialObjects<T>(Snapshot<T> all) implements Item<T> {}

  /** Resync: all current objects again. */
  record Resync<T>(Snapshot<T> all) implements Item<T> {}

  HandlerQueue(HandlerSettings settings) {
    this.settings = settings;
  }

  boolean hasRoom() {
    return switch (settings.overflowPolicy()) {
      case BLOCK -> changes < settings.capacity();
      case CONFLATE -> true;
    };
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  /** Returns the number of queued changes. */
  int changeCount() {
    return changes;
  }

  void add(Item<T> item) {
    if (item instanceof Resync && items.stream().anyMatch(Resync.class::isInstance)) {
      return; // the previous resync is still queued
    }
    items.add(item);
  }

  void add(Change<T> change) {
    switch (settings.overflowPolicy()) {
      case BLOCK -> {
        items.add(new SingleChange<>(change));
        changes++;
      }
      case CONFLATE -> merge(change);
    }
  }

  private void merge(Change<T> change) {
    Map<NamespacedName, Change<T>> newest = newest();
    @Nullable Change<T> waiting = newest.get(change.key());
    Change<T> joined = waiting == null ? change : waiting.merge(change);
    if (joined.isEmpty()) {
      newest.remove(change.key());
      changes--;
      if (newest.isEmpty()) {
        items.removeLast();
      }
    } else {
      newest.put(change.key(), joined);
      changes += waiting == null ? 1 : 0;
    }
  }

  private Map<NamespacedName, Change<T>> newest() {
    if (items.peekLast() instanceof ConflatedChanges<T> last) {
      return last.changes;
    }
    ConflatedChanges<T> next = new ConflatedChanges<>(new LinkedHashMap<>());
    items.add(next);
    return next.changes;
  }

  /** Returns the next item; null if the queue is empty. */
  @Nullable Item<T> next() {
    if (items.peekFirst() instanceof ConflatedChanges<T> first) {
      Iterator<Change<T>> oldest = first.changes.values().iterator();
      Change<T> change = oldest.next();
      oldest.remove();
      if (first.changes.isEmpty()) {
        items.removeFirst();
      }
      changes--;
      return new SingleChange<>(change);
    }
    @Nullable Item<T> item = items.pollFirst();
    if (item instanceof SingleChange) {
      changes--;
    }
    return item;
  }

  void clear() {
    items.clear();
    changes = 0;
  }
}
