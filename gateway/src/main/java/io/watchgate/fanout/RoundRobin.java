package io.watchgate.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * One turn for each of those who are ready, in as many portions as it takes. Nobody is always
 * first. Used by the owner.
 */
final class RoundRobin {
  private final List<LivePhase> order = new ArrayList<>();
  private int walked;
  private int start;

  /** Begins a walk over those who are ready now; there is one at least. */
  void begin(List<LivePhase> ready) {
    int size = ready.size();
    start = (start + 1) % size;
    for (int i = 0; i < size; i++) {
      order.add(ready.get((start + i) % size));
    }
  }

  /** Whether turns are left for another task. */
  boolean isUnderWay() {
    return walked < order.size();
  }

  /** Gives at most so many turns. Returns how many. */
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
