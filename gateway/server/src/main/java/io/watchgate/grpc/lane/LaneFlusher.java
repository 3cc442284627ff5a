package io.watchgate.grpc.lane;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Flusher of the lanes of one event loop: writes what they have collected at the end of each task,
 * so that one write per connection has the responses of all of its streams. Used on its event loop,
 * except for the counters.
 */
public final class LaneFlusher {
  /** Bytes of all lanes of the event loop above which they are written within a task. */
  static final int MAX_UNWRITTEN = 1 << 20;

  private final List<ConnectionLane> unwritten = new ArrayList<>();
  private int unwrittenBytes;
  private boolean inTask;

  /** Number of tasks that have begun. */
  private long tasks;

  private long responses;
  private long groupResponses;
  private long grpcResponses;
  private volatile Counts published = Counts.NONE;

  /**
   * Responses of streams so far.
   *
   * @param alone responses that a stream sent for itself by the lane
   * @param grouped responses that streams were sent by the lane as members of a group
   * @param grpc responses that took gRPC's way
   */
  public record Counts(long alone, long grouped, long grpc) {
    public static final Counts NONE = new Counts(0, 0, 0);

    /** Returns the sums of these counts and others. */
    public Counts plus(Counts others) {
      return new Counts(alone + others.alone, grouped + others.grouped, grpc + others.grpc);
    }

    /** Returns the number of responses that took the lane. */
    public long byLane() {
      return alone + grouped;
    }
  }

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
      publish();
    }
  }

  private void publish() {
    Counts last = published;
    if (last.alone != responses || last.grouped != groupResponses || last.grpc != grpcResponses) {
      published = new Counts(responses, groupResponses, grpcResponses);
    }
  }

  /** Returns the responses until the end of the last task. From any thread. */
  public Counts counts() {
    return published;
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
    addUnwritten(bytes);
  }

  /** The same for responses to members of a group. */
  void countGrouped(int members, int bytes) {
    groupResponses += members;
    addUnwritten(bytes);
  }

  private void addUnwritten(int bytes) {
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
