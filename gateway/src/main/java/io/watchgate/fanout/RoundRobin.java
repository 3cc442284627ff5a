package io.watchgate.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * Round robin over the ready streams, in several portions if necessary. It starts at another stream
 * each time. Used by one event loop.
 */
final class RoundRobin {
  private final List<LivePhase> order = new ArrayList<>();
  private int walked;
  private int start;

  /** Starts an iteration over the streams that are ready now, of which there is at least one. */
  void begin(List<LivePhase> ready) {
    int size = ready.size();
    start = (start + 1) % size;
    for (int i = 0; i < size; i++) {
      order.add(ready.get((start + i) % size));
    }
  }

  /** Returns whether streams are left for another task. */
  boolean isUnderWay() {
    return walked < order.size();
  }

  /** Runs at most {@code turns} streams. Returns the number of streams that ran. */
  int go(int turns) {
    int from = walked;
    int until = Math.min(order.size(), from + turns);
    while (walked < until) {
      order.get(walked++).turn();
    }
    if (!isUnderWay()) {
      order.clear();
      walked = 0;
    }
    return until - from;
  }
}
