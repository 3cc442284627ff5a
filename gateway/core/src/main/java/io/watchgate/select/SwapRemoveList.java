package io.watchgate.select;

import java.util.ArrayList;

/** Unordered list whose items know their index, so that removal is O(1). Not thread-safe. */
final class SwapRemoveList<E extends SwapRemoveList.Item> {
  private static final int SMALLEST = 10;

  /** Item of at most one list. */
  abstract static class Item {
    private int index;
  }

  private final ArrayList<E> items = new ArrayList<>(0);
  private int largest;

  int size() {
    return items.size();
  }

  /** Returns the largest size since the list was last shrunk. */
  int capacity() {
    return largest;
  }

  E get(int index) {
    return items.get(index);
  }

  void add(E item) {
    setIndex(item, items.size());
    items.add(item);
    largest = Math.max(largest, items.size());
  }

  /** Removes an item of this list; the last item moves to its index. */
  void remove(E item) {
    int place = indexOf(item);
    E last = items.removeLast();
    if (place < items.size()) {
      items.set(place, last);
      setIndex(last, place);
    }
    if (largest > SMALLEST && 4 * items.size() <= largest) {
      items.trimToSize();
      largest = items.size();
    }
  }

  private static int indexOf(Item item) {
    return item.index;
  }

  private static void setIndex(Item item, int place) {
    item.index = place;
  }
}
