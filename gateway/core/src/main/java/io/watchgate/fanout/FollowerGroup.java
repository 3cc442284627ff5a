package io.watchgate.fanout;

import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.Position;
import io.watchgate.fanout.LogEntry.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Followers of one feed and one connection that are at the same position and are sent each frame
 * together. Their common state is here, so that a delivery touches no object of a single stream. A
 * member leaves before anything else is done with its stream ({@link LivePhase}), and then takes
 * over the state. Used by one event loop.
 *
 * <p>If the transport refuses to send to all, because of the window of one of them for example, the
 * group is dissolved, and its members send for themselves until they join a group again, within a
 * second ({@link FollowerGroups#form}). While the transport of the connection is not ready, the
 * group waits as one. A group that lags for a second is dissolved, too, because only for streams
 * outside a group are sent frames released, queued bytes counted and slow readers throttled.
 */
final class FollowerGroup implements LoopFollowers.Recipient {
  /** Members, of which all are sent a frame in one go. */
  static final int MAX_MEMBERS = 128;

  /**
   * Bytes of events up to which frames are joined: with {@link #MAX_MEMBERS}, half of what an event
   * loop collects before it writes. A longer response would cost no less here, since its bytes are
   * copied for each member.
   */
  private static final int JOINED_BYTES = 4 << 10;

  /**
   * Bytes of a response for all members together, and bytes that are sent before other tasks of the
   * event loop run: about what an event loop collects before it writes.
   */
  static final int MAX_BYTES = 1_000_000;

  private static final Logger log = LoggerFactory.getLogger(FollowerGroup.class);

  private final LoopFollowers followers;
  private final Executor tasks;
  private final long connection;
  private final List<LivePhase> members = new ArrayList<>();
  private @Nullable SinkGroup sinks;
  private FrameNode node;
  private Position position;

  /** Least of the members' {@link ResponseWriter#maxEventBytes}. */
  private int maxEventBytes = Integer.MAX_VALUE;

  /** Bytes that each member was sent since the group exists, modulo 2^32. */
  private int sentBytes;

  /** Events that each member was sent since the group exists, modulo 2^32. */
  private int sentEvents;

  private int lastBytes;

  /** True if the group has reached the end of the log since the last check. */
  private boolean hasReachedEnd = true;

  /** Last generation of {@link FrameFloor} in which the group reached the end of the log. */
  private int generation;

  /** True until the transport reports that it is ready. */
  private boolean isWaiting;

  /** True if a run was posted. */
  private boolean isPosted;

  private FollowerGroup(LoopFollowers followers, Executor tasks, LivePhase first) {
    this.followers = followers;
    this.tasks = tasks;
    this.connection = first.connection();
    this.node = first.node();
    this.position = first.position();
    this.generation = first.generation;
  }

  /**
   * Returns a group with one member; null if its transport has none.
   *
   * @param tasks runs tasks on the event loop
   */
  static @Nullable FollowerGroup of(LoopFollowers followers, Executor tasks, LivePhase first) {
    FollowerGroup created = new FollowerGroup(followers, tasks, first);
    created.sinks = first.sink().openGroup(created::post);
    if (created.sinks == null) {
      return null;
    }
    created.include(first);
    return created;
  }

  /**
   * Adds a stream that may join a group. Returns false if the group is full or waits, or the stream
   * is at another node or position.
   */
  boolean add(LivePhase stream) {
    SinkGroup group = sinks;
    if (group == null
        || isWaiting
        || isFull()
        || !stream.node().equals(node)
        || !isComparable(stream.position())
        || !stream.sink().joinGroup(group)) {
      return false;
    }
    if (stream.position().version().isAfter(position.version())) {
      position = stream.position(); // of a bookmark, so later than the last frame
    }
    followers.floor().align(stream, this);
    include(stream);
    return true;
  }

  private boolean isComparable(Position other) {
    return other.equals(position) || !other.version().equals(position.version());
  }

  private void include(LivePhase stream) {
    maxEventBytes = Math.min(maxEventBytes, stream.maxEventBytes());
    stream.enterGroup(this, members.size(), sentBytes);
    stream.countEvents(
        -sentEvents); // at the exit all events of the group are added, also those before
    members.add(stream);
  }

  /** Removes a member, which takes over the state of the group. */
  void remove(LivePhase member) {
    countFor(member);
    member.countEvents(sentEvents);
    member.exitGroup(node, position, generation);
    int index = member.groupIndex;
    LivePhase last = members.removeLast();
    if (last != member) {
      members.set(index, last);
      last.groupIndex = index;
    }
    if (sinks != null) {
      sinks.remove(index);
    }
    if (members.isEmpty()) {
      followers.groups().remove(this);
    }
  }

  /** Returns 0 for a group that waits, since its run does nothing. */
  @Override
  public int streamCount() {
    return isWaiting ? 0 : members.size();
  }

  int size() {
    return members.size();
  }

  /** Returns the number of the connection. */
  long connection() {
    return connection;
  }

  boolean isFull() {
    return members.size() >= followers.groups().maxMembers();
  }

  /** Returns the position that all members have reached. */
  Position position() {
    return position;
  }

  /** Returns the node that all members have reached. */
  FrameNode node() {
    return node;
  }

  int generation() {
    return generation;
  }

  void setGeneration(int reachedIn) {
    generation = reachedIn;
  }

  // ---- sending

  /** Sends what is new to all members; if that is not possible, runs each of them. */
  @Override
  public void run() {
    if (isWaiting || members.isEmpty()) {
      return;
    }
    boolean sent;
    try {
      sent = trySendAll();
    } catch (RuntimeException | Error e) {
      log.debug("a group of {} streams failed", members.size(), e);
      sent = false; // this response was sent to none; a member that fails again reports it
    }
    if (!sent) {
      List<LivePhase> alone = List.copyOf(members);
      alone.forEach(this::remove);
      alone.forEach(LivePhase::run);
    }
  }

  /** Returns false if the members have to send for themselves. */
  private boolean trySendAll() {
    long sentHere = 0;
    while (node.next() instanceof Frame frame) {
      if (frame.isTooLarge(maxEventBytes)) {
        return false;
      }
      if (sentHere > MAX_BYTES) {
        post();
        return true;
      }
      Frame last = frame;
      ByteSlices response = frame.response();
      int events = frame.count();
      if (frame.after().next() instanceof Frame) {
        LogEntry.JoinedFrames joined =
            followers.combinedFrames(frame, Math.min(JOINED_BYTES, maxEventBytes));
        last = joined.last();
        response = joined.response();
        events = joined.count();
      }
      if ((long) response.size() * members.size() > MAX_BYTES) {
        followers.groups().limitMembers(response.size());
        return false;
      }
      switch (sinks == null ? SinkGroup.Outcome.REFUSED : sinks.trySend(response)) {
        case SENT -> {}
        case WAIT -> {
          isWaiting = true;
          return true;
        }
        case REFUSED -> {
          return false;
        }
      }
      node = last.after();
      position = last.position();
      lastBytes = response.size();
      sentBytes += lastBytes;
      sentEvents += events;
      sentHere += (long) lastBytes * members.size();
      followers.recordSent(events * members.size(), lastBytes * members.size());
      followers.recordDelivery(frame);
    }
    if (node.next() != null) {
      return false; // a gap: each stream has its own policy
    }
    hasReachedEnd = true;
    followers.floor().markAtEnd(this);
    return true;
  }

  /** Posts a run: after others, or because the transport is ready, which calls it. */
  private void post() {
    if (!isPosted) {
      isPosted = true;
      tasks.execute(
          () -> {
            isPosted = false;
            isWaiting = false;
            run();
          });
    }
  }

  // ---- once a second

  /** Adds what was sent to the counts of each member. */
  void countForMembers() {
    members.forEach(this::countFor);
  }

  private void countFor(LivePhase member) {
    member.countSentByGroup(sentBytes, lastBytes);
  }

  /**
   * Dissolves the group if it has lagged since the last check, or has one member. Call it after
   * {@link #countForMembers}.
   */
  void check() {
    boolean lags = node.next() != null && !hasReachedEnd;
    hasReachedEnd = false;
    if (lags || members.size() == 1) {
      dissolve();
    }
  }

  /**
   * Dissolves a group that waits with a frame behind history: such a frame is not kept for streams
   * that do not read.
   */
  void dissolveIfTrimmed() {
    if (isWaiting && node.next() instanceof Frame frame && frame.before().isTrimmed()) {
      dissolve();
    }
  }

  private void dissolve() {
    while (!members.isEmpty()) {
      members.getLast().leaveGroup();
    }
  }
}
