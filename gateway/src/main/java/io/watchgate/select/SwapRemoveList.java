package io.watchgate.select;

import java.util.ArrayList;

/**
 * Things in no order, each of which knows where it is, so that it can leave at no cost. Not
 * thread-safe.
 */
final class SwapRemoveList<E extends SwapRemoveList.Item> {
  private static final int SMALLEST = 10;

  /** Is in one bag at most. */
  abstract static class Item {
    private int place;
  }

  private final ArrayList<E> items = new ArrayList<>(0);
  private int largest;

  int size() {
    return items.size();
  }

  /** What there was room for when it was largest, since it shrank. */
  int capacity() {
    return largest;
  }

  E get(int index) {
    return items.get(index);
  }

  void add(E item) {
    setPlace(item, items.size());
    items.add(item);
    largest = Math.max(largest, items.size());
  }

  /** Takes out an item that is in here; the last one takes its place. */
  void remove(E item) {
    int place = place(item);
    E last = items.removeLast();
    if (place < items.size()) {
      items.set(place, last);
      setPlace(last, place);
    }
    if (largest > SMALLEST && 4 * items.size() <= largest) {
      items.trimToSize();
      largest = items.size();
    }
  }

  private static int place(Item item) {
    return item.place;
  }

  private static void setPlace(Item item, int place) {
    item.place = place;
  }
}
