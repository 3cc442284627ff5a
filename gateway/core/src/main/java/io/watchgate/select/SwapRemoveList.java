package io.watchgate.select;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Unordered list whose items know their index, so that removal is O(1). Not thread-safe. */
public final class SwapRemoveList<E extends SwapRemoveList.Item> implements Iterable<E> {
  private static final int SMALLEST = 10;

  /** Item of at most one list. */
  public abstract static class Item {
    private int index;
  }

  private final ArrayList<E> items = new ArrayList<>(0);
  private int largest;

  public int size() {
    return items.size();
  }

  /** Iterates over the items; adding or removing one ends the iteration with an error. */
  @Override
  public Iterator<E> iterator() {
    return items.iterator();
  }

  /** Returns a copy, to iterate over while items are added or removed. */
  public List<E> copy() {
    return List.copyOf(items);
  }

  /** Returns the largest size since the list was last shrunk. */
  int capacity() {
    return largest;
  }

  public E get(int index) {
    return items.get(index);
  }

  public void add(E item) {
    setIndex(item, items.size());
    items.add(item);
    largest = Math.max(largest, items.size());
  }

  /** Removes an item of this list; the last item moves to its index. */
  public void remove(E item) {
    int at = indexOf(item);
    E last = items.removeLast();
    if (at < items.size()) {
      items.set(at, last);
      setIndex(last, at);
    }
    if (largest > SMALLEST && 4 * items.size() <= largest) {
      items.trimToSize();
      largest = items.size();
    }
  }

  private static int indexOf(Item item) {
    return item.index;
  }

  private static void setIndex(Item item, int at) {
    item.index = at;
  }
}
