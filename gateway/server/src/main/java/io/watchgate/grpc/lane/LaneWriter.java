package io.watchgate.grpc.lane;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Writer of the lanes of one event loop: writes what they have collected at the end of each task,
 * so that one write per connection has the responses of all of its streams. Used on its event loop,
 * except for the counters.
 */
public final class LaneWriter {
  /** Bytes of all lanes of the event loop above which they are written within a task. */
  static final int MAX_UNWRITTEN = 1 << 20;

  private final List<ConnectionLane> unwritten = new ArrayList<>();
  private int unwrittenBytes;
  private boolean inTask;

  /** Number of tasks that have begun. */
  private long tasks;

  private long responses;
  private long grpcResponses;
  private volatile long publishedResponses;
  private volatile long publishedGrpcResponses;

  /**
   * Returns an executor that writes all lanes at the end of each task. Streams use the lane only in
   * tasks of this executor; in others, they use gRPC.
   *
   * @param loop runs tasks on the event loop
   */
  public Executor executor(Executor loop) {
    return task -> loop.execute(() -> run(task));
  }

  private void run(Runnable task) {
    inTask = true;
    tasks++;
    try {
      task.run();
    } finally {
      inTask = false;
      writeAll();
      publishedResponses = responses;
      publishedGrpcResponses = grpcResponses;
    }
  }

  /** Returns the number of responses that took the lane. From any thread. */
  public long responses() {
    return publishedResponses;
  }

  /** Returns the number of responses of streams with a lane that took gRPC's way. Any thread. */
  public long grpcResponses() {
    return publishedGrpcResponses;
  }

  boolean isInTask() {
    return inTask;
  }

  long tasks() {
    return tasks;
  }

  void countGrpcResponse() {
    grpcResponses++;
  }

  /** Adds a lane that has collected its first bytes. */
  void add(ConnectionLane lane) {
    unwritten.add(lane);
  }

  /** Counts a response that a lane has collected, and writes all lanes if they have too much. */
  void count(int bytes) {
    responses++;
    unwrittenBytes += bytes;
    if (unwrittenBytes >= MAX_UNWRITTEN) {
      writeAll();
    }
  }

  private void writeAll() {
    if (unwritten.isEmpty()) {
      return;
    }
    for (ConnectionLane lane : unwritten) {
      lane.write();
    }
    unwritten.clear();
    unwrittenBytes = 0;
  }
}
