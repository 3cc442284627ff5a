package io.watchgate.fanout;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Deliveries of one event loop: the followers with new frames, one task for all of them. All
 * methods but {@link #add} run on the event loop.
 */
final class LoopDeliveries {
  /** Streams per task. Their bytes leave together, and other tasks run afterwards. */
  private static final int STREAMS_PER_TASK = 512;

  private final Queue<List<LoopFollowers>> marked = new ConcurrentLinkedQueue<>();
  private final Queue<LoopFollowers> due = new ArrayDeque<>();
  private final Runnable afterTask;
  private final SerialTask task;

  /**
   * @param thread the event loop
   * @param afterTask runs at the end of each task
   */
  LoopDeliveries(Executor thread, Runnable afterTask) {
    this.afterTask = afterTask;
    this.task = new SerialTask(thread, this::run);
  }

  /**
   * Schedules a delivery to followers that were {@link LoopFollowers#markNewFrames marked}. From
   * any thread.
   */
  void add(List<LoopFollowers> followers) {
    marked.add(followers);
    task.schedule();
  }

  private boolean run() {
    for (List<LoopFollowers> batch = marked.poll(); batch != null; batch = marked.poll()) {
      due.addAll(batch);
    }
    int streamsLeft = STREAMS_PER_TASK;
    while (streamsLeft > 0 && !due.isEmpty()) {
      streamsLeft -= deliver(due.remove(), streamsLeft);
    }
    afterTask.run();
    return !due.isEmpty();
  }

  /**
   * Sends to the followers of one feed. On any failure they stay scheduled until they are done, and
   * the followers of other feeds run first.
   */
  private int deliver(LoopFollowers followers, int maxStreams) {
    try {
      return followers.deliver(maxStreams);
    } catch (RuntimeException | Error e) {
      task.schedule();
      throw e;
    } finally {
      if (followers.isDelivering() || followers.clearNewFrames()) {
        due.add(followers);
      }
    }
  }
}
