package io.watchgate.ops.pages;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.Stream;

/**
 * Collector of the first rows of an ordered table, which keeps at most the rows that the page
 * shows. Confined to one thread at a time.
 */
final class FirstRows<T> {
  private final PriorityQueue<T> rows;
  private final Comparator<T> order;
  private final int most;
  private int total;

  /**
   * @param most number of rows that are kept
   */
  FirstRows(Comparator<T> order, int most) {
    this.order = order;
    this.rows = new PriorityQueue<>(order.reversed());
    this.most = most;
  }

  void add(T row) {
    total++;
    if (rows.size() < most) {
      rows.add(row);
    } else if (order.compare(row, rows.element()) < 0) {
      rows.remove();
      rows.add(row);
    }
  }

  /** Returns the number of rows that were added. */
  int total() {
    return total;
  }

  /** Returns the rows that are kept, in any order. */
  Stream<T> stream() {
    return rows.stream();
  }
}
