package io.watchgate.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * Order in which the ready followers of one feed are served, in several portions if necessary: the
 * groups first, then the single streams, each by round robin. Used by one event loop.
 */
final class DeliveryOrder {
  private final List<LoopFollowers.Recipient> recipients = new ArrayList<>();
  private int ranCount;
  private int start;

  /**
   * Starts an iteration over the groups and streams that are ready now, at another one each time.
   * Groups are first, since each takes one write.
   */
  void start(List<FollowerGroup> groups, List<LivePhase> ready) {
    start++;
    addFromStart(groups);
    addFromStart(ready);
  }

  private void addFromStart(List<? extends LoopFollowers.Recipient> added) {
    int size = added.size();
    for (int i = 0; i < size; i++) {
      recipients.add(added.get(Math.floorMod(start + i, size)));
    }
  }

  /** Returns whether streams are left for another task. */
  boolean isRunning() {
    return ranCount < recipients.size();
  }

  /** Runs about {@code maxStreams} streams. Returns the number of streams that ran. */
  int run(int maxStreams) {
    int streamCount = 0;
    while (isRunning() && streamCount < maxStreams) {
      LoopFollowers.Recipient next = recipients.get(ranCount++);
      streamCount += next.streamCount();
      next.run();
    }
    if (!isRunning()) {
      recipients.clear();
      ranCount = 0;
    }
    return streamCount;
  }
}
