package io.watchgate.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * Round robin over the ready streams, in several portions if necessary. It starts at another stream
 * each time. Used by one event loop.
 */
final class RoundRobin {
  private final List<LivePhase> order = new ArrayList<>();
  private int ranCount;
  private int start;

  /** Starts an iteration over the streams that are ready now, of which there is at least one. */
  void start(List<LivePhase> ready) {
    int size = ready.size();
    start = (start + 1) % size;
    for (int i = 0; i < size; i++) {
      order.add(ready.get((start + i) % size));
    }
  }

  /** Returns whether streams are left for another task. */
  boolean isRunning() {
    return ranCount < order.size();
  }

  /** Runs at most {@code turns} streams. Returns the number of streams that ran. */
  int run(int turns) {
    int from = ranCount;
    int until = Math.min(order.size(), from + turns);
    while (ranCount < until) {
      order.get(ranCount++).run();
    }
    if (!isRunning()) {
      order.clear();
      ranCount = 0;
    }
    return until - from;
  }
}
