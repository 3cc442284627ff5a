package io.watchgate.grpc.lane;

import io.watchgate.encode.ByteSlices;
import io.watchgate.fanout.SinkGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Streams of one connection that are sent the same responses by the lane. A response costs the
 * group its bytes, and no access to the objects of a stream: the ids are in an array, and all
 * members use up their credit together. Used on the event loop of the connection.
 */
final class LaneGroup implements SinkGroup, LaneWaiters.Waiter {
  private final ConnectionLane connection;
  private final Runnable onReady;

  /** Members; those that have ended stay until the fan-out removes them. */
  private final List<StreamLane> members = new ArrayList<>();

  /** Ids of the members' streams; 0: it has ended. */
  private int[] ids = new int[8];

  /**
   * Values of {@link #used} and {@link #sentBytes} at the last deduction from each member, or when
   * it joined.
   */
  private long[] deductedUse = new long[8];

  private long[] deductedBytes = new long[8];

  /** Payload that each member was sent, in bytes of its window. */
  private long used;

  /** The same without the prefixes of the responses. */
  private long sentBytes;

  /** Largest value of {@link #used} that the credit of every member allows. */
  private long limit = Long.MAX_VALUE;

  private int lastBytes;
  private boolean isWaiting;
  private boolean isWoken;

  LaneGroup(ConnectionLane connection, Runnable onReady) {
    this.connection = connection;
    this.onReady = onReady;
  }

  ConnectionLane connection() {
    return connection;
  }

  void add(StreamLane stream, int id) {
    int size = members.size();
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
      deductedUse = Arrays.copyOf(deductedUse, 2 * size);
      deductedBytes = Arrays.copyOf(deductedBytes, 2 * size);
    }
    members.add(stream);
    ids[size] = id;
    deductedUse[size] = used;
    deductedBytes[size] = sentBytes;
    stream.groupIndex = size;
    limit = Math.min(limit, used + stream.credit());
  }

  @Override
  public void remove(int index) {
    if (ids[index] != 0) {
      deduct(index);
    }
    members.get(index).leaveGroup();
    StreamLane last = members.removeLast();
    int size = members.size();
    if (index < size) {
      members.set(index, last);
      last.groupIndex = index;
    }
    ids[index] = ids[size];
    deductedUse[index] = deductedUse[size];
    deductedBytes[index] = deductedBytes[size];
    if (size == 0) {
      endWait();
      connection.waiters().remove(this);
    }
  }

  /**
   * Deducts what the group used of a member, whose stream has ended: nothing more may be sent to
   * it.
   */
  void end(StreamLane stream) {
    deduct(stream.groupIndex);
    ids[stream.groupIndex] = 0;
  }

  /**
   * Deducts what the group used of a member that is to give its credit back; the group takes new
   * credit before it sends again.
   */
  void deductBeforeRelease(StreamLane stream) {
    deduct(stream.groupIndex);
    limit = used;
  }

  private void deduct(int index) {
    members
        .get(index)
        .deductGroupUse((int) (used - deductedUse[index]), sentBytes - deductedBytes[index]);
    deductedUse[index] = used;
    deductedBytes[index] = sentBytes;
  }

  // ---- sending

  @Override
  public Outcome trySend(ByteSlices response) {
    endWait();
    int payload = DataFrameEncoder.payload(response);
    long all = (long) payload * members.size();
    if (payload > StreamLane.MAX_PAYLOAD
        || all > LaneFlusher.MAX_UNWRITTEN
        || !connection.flusher().isInTask()
        || connection.isEndingStreams()
        || (used + payload > limit && !renewCredit(payload))) {
      return Outcome.REFUSED;
    }
    lastBytes = (int) all;
    if (!connection.isSocketReady()) {
      isWaiting = true;
      connection.waiters().add(this);
      return Outcome.WAIT;
    }
    if (!connection.hasRoom(all)) {
      return Outcome.REFUSED;
    }
    connection.send(ids, members.size(), response, payload);
    used += payload;
    sentBytes += response.size();
    return Outcome.SENT;
  }

  /** Takes more credit for all members. Returns whether it suffices for a payload. */
  private boolean renewCredit(int payload) {
    limit = used;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < members.size(); i++) {
      if (ids[i] != 0) {
        deduct(i);
        StreamLane member = members.get(i);
        if (!member.takeCredit(payload)) {
          return false;
        }
        least = Math.min(least, member.credit());
      }
    }
    limit = used + least;
    return true;
  }

  // ---- waiting for the socket

  /** Returns whether the group waits, or was woken and has not asked since. */
  boolean isWaiting() {
    return isWaiting || isWoken;
  }

  @Override
  public void wake() {
    isWaiting = false;
    isWoken = true;
    onReady.run();
  }

  @Override
  public int lastBytes() {
    return lastBytes;
  }

  private void endWait() {
    if (isWoken) {
      isWoken = false;
      connection.waiters().endWake();
    }
  }
}
