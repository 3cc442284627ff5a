package io.watchgate.informer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one handler has to be told yet. Guarded by {@link HandlerDispatcher}, which waits where this
 * has no room.
 *
 * <p>Whatever is no single change closes what stands before it: changes are only ever joined
 * between two of these, so that nobody is shown an old state after a new one.
 */
final class HandlerQueue<T> {
  private final HandlerSettings settings;
  private final Deque<Item<T>> items = new ArrayDeque<>();
  private int changes;

  /** Something to tell. */
  sealed interface Item<T> permits One, Newest, Beginning, Again {}

  /** A change. */
  record One<T>(Change<T> change) implements Item<T> {}

  /** What is left to tell of each object, the oldest first. */
  private record Newest<T>(Map<NamespacedName, Change<T>> changes) implements Item<T> {}

  /** All that there was when the handler came, then that it has all of it. */
  record Beginning<T>(Snapshot<T> all) implements Item<T> {}

  /** All that there is, once more. */
  record Again<T>(Snapshot<T> all) implements Item<T> {}

  HandlerQueue(HandlerSettings settings) {
    this.settings = settings;
  }

  boolean hasRoom() {
    return switch (settings.backlog()) {
      case BLOCK -> changes < settings.capacity();
      case CONFLATE -> true;
    };
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  /** How many changes wait. */
  int changes() {
    return changes;
  }

  void add(Item<T> item) {
    if (item instanceof Again && items.stream().anyMatch(Again.class::isInstance)) {
      return; // it has not had the last time yet
    }
    items.add(item);
  }

  void add(Change<T> change) {
    switch (settings.backlog()) {
      case BLOCK -> {
        items.add(new One<>(change));
        changes++;
      }
      case CONFLATE -> join(change);
    }
  }

  private void join(Change<T> change) {
    Map<NamespacedName, Change<T>> newest = newest();
    @Nullable Change<T> waiting = newest.get(change.key());
    Change<T> joined = waiting == null ? change : waiting.then(change);
    if (joined.isNothing()) {
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
    if (items.peekLast() instanceof Newest<T> last) {
      return last.changes;
    }
    Newest<T> next = new Newest<>(new LinkedHashMap<>());
    items.add(next);
    return next.changes;
  }

  /** Null: nothing waits. */
  @Nullable Item<T> next() {
    if (items.peekFirst() instanceof Newest<T> first) {
      Iterator<Change<T>> oldest = first.changes.values().iterator();
      Change<T> change = oldest.next();
      oldest.remove();
      if (first.changes.isEmpty()) {
        items.removeFirst();
      }
      changes--;
      return new One<>(change);
    }
    @Nullable Item<T> item = items.pollFirst();
    if (item instanceof One) {
      changes--;
    }
    return item;
  }

  void clear() {
    items.clear();
    changes = 0;
  }
}
