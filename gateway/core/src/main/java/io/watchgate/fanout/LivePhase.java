package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.Position;
import io.watchgate.fanout.LogEntry.Frame;
import io.watchgate.fanout.LogEntry.Gap;
import io.watchgate.fanout.LogEntry.Released;
import io.watchgate.fanout.LogEntry.Splice;
import org.jspecify.annotations.Nullable;

/**
 * Phase of a stream that follows the frame log of its feed. A stream that keeps up sends each frame
 * at once, as encoded for all followers. A stream that lags sends several frames per response. A
 * caught-up stream references a node and a position and nothing else.
 *
 * <p>While a stream keeps up and nothing else is due, its event loop calls {@link #run}, which
 * touches only this object and the objects that send. A thousand streams exceed a processor's
 * caches, so every further object is fetched from memory. A full run of the {@link
 * SubscribedStream} would read about six objects although it has nothing to do. As a member of a
 * {@link FollowerGroup} it is not called at all; then its node and position are those of the group.
 */
final class LivePhase implements Phase, LoopFollowers.Recipient {
  private final PhaseMachine.Context context;
  private final SubscribedStream stream;
  private final ResponseWriter out;
  private final LoopFollowers followers;
  private final boolean conflates;
  private FrameNode node;
  private Position position;

  /** True if {@link #run} has nothing to do but to send the newest frame. */
  private boolean caughtUp;

  private final long servingOrder;

  /** Group that sends for this stream; null if it sends for itself. */
  private @Nullable FollowerGroup group;

  /** Bytes of each member of the group that are in the counts of this stream already. */
  private int countedBytes;

  /** Own reference: until {@link FrameFloor} holds one for this stream, and while it lags. */
  private @Nullable JoinPoint joinPoint;

  /** True if its node is in the feed's log, and not in a replay's log that leads there. */
  private boolean isInFeed;

  // The following fields belong to other classes. They are here because a class of their own would
  // be another object to fetch for each delivery. Only the named class uses a field, except that a
  // stream and its group hand values over to each other.

  /** Of {@link LoopFollowers}: index in its ready list, negative outside it. */
  int readyIndex = -1;

  /** Of {@link FrameFloor}: last generation in which this stream reached the end of the log. */
  int generation;

  /** Of {@link FrameFloor}: true if this stream holds its own reference to a node. */
  boolean hasOwnReference;

  /** Of {@link BlockedStreams}: true if this stream is in its list. */
  boolean isBlocked;

  /** Of {@link BlockedStreams}. */
  @Nullable LivePhase blockedBefore;

  /** Of {@link BlockedStreams}. */
  @Nullable LivePhase blockedAfter;

  /** Of {@link FollowerGroup}: index in the group. */
  int groupIndex;

  /**
   * @param joinPoint join point in the feed's log; released by {@link #leave} at the latest
   */
  LivePhase(PhaseMachine.Context context, JoinPoint joinPoint, Position position) {
    this.context = context;
    this.stream = context.stream();
    this.out = context.out();
    this.conflates = context.lagPolicy().shouldConflate();
    this.joinPoint = joinPoint;
    this.node = joinPoint.node();
    this.isInFeed = joinPoint.node().equals(joinPoint.retainedNode());
    this.position = position;
    this.servingOrder = stream.servingOrder();
    this.followers = stream.cacheStreams().follow(context.feed(), this);
  }

  /** Returns the number of the connection, which is the first part of {@link #servingOrder}. */
  long connection() {
    return servingOrder >>> Integer.SIZE;
  }

  /** Returns {@link SubscribedStream#servingOrder}. */
  long servingOrder() {
    return servingOrder;
  }

  // ---- sending

  @Override
  public int streamCount() {
    return 1;
  }

  /** Sends the newest frame if nothing else is due; otherwise runs the full task. */
  @Override
  public void run() {
    try {
      if (caughtUp && trySendNewest()) {
        return;
      }
    } catch (RuntimeException | Error e) {
      stream.endAfterFailure(e);
      return;
    }
    stream.runOnce();
  }

  /** Begins a full run of the task, which decides whether the next run is a short one. */
  void beginRun() {
    leaveGroup();
    caughtUp = false;
  }

  /**
   * Marks the stream as caught up: everything was sent, and nothing is due before the next change.
   */
  void markCaughtUp() {
    caughtUp = true;
  }

  /** Returns whether nothing is left: there was one frame, and the transport is still ready. */
  private boolean trySendNewest() {
    if (moveToNextEntry() instanceof Frame frame
        && frame.after().next() == null
        && !frame.isTooLarge(out.maxEventBytes())
        && out.isReady()) {
      sendAlone(frame);
      if (out.isReady()) {
        followers.markAtEnd(this, node);
        releaseJoinPoint();
        return true;
      }
    }
    return false;
  }

  private void sendAlone(Frame frame) {
    out.send(frame.response(), frame.count());
    node = frame.after();
    position = frame.position();
    followers.recordDelivery(frame);
  }

  /** Returns whether there are entries that were not sent. */
  boolean hasUnsentEntries() {
    return nextEntry() != null;
  }

  /** Returns whether a gap, such as a lost timeline, is among the entries that were not sent. */
  boolean hasGapAhead() {
    LogEntry entry = nextEntry();
    while (entry != null) {
      switch (entry) {
        case Frame frame -> entry = frame.after().next();
        case Splice(FrameNode to) -> entry = to.next();
        case Gap _, Released _ -> {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the next entry to send, and leaves everything as it is; null if there is none. */
  private @Nullable LogEntry nextEntry() {
    FollowerGroup in = group;
    LogEntry entry = (in == null ? node : in.node()).next();
    while (entry instanceof Splice(FrameNode to)) {
      entry = to.next();
    }
    return entry;
  }

  /** Leaves the group and passes splices, so that the next entry can be sent; null for none. */
  private @Nullable LogEntry moveToNextEntry() {
    leaveGroup();
    LogEntry entry = node.next();
    while (entry instanceof Splice(FrameNode to)) {
      node = to;
      isInFeed = true;
      entry = to.next();
    }
    return entry;
  }

  // ---- as a member of a group

  /** Returns whether a group may send for this stream: it is caught up, and nothing is due. */
  boolean canJoinGroup() {
    return caughtUp
        && !conflates
        && isInFeed
        && group == null
        && node.next() == null
        && out.sink().hasGroups();
  }

  boolean isInGroup() {
    return group != null;
  }

  FrameNode node() {
    return node;
  }

  ResponseSink sink() {
    return out.sink();
  }

  int maxEventBytes() {
    return out.maxEventBytes();
  }

  /**
   * Enters a group.
   *
   * @param sent bytes that each member was sent before, modulo 2^32
   */
  void enterGroup(FollowerGroup entered, int index, int sent) {
    group = entered;
    groupIndex = index;
    readyIndex = -1;
    countedBytes = sent;
  }

  /** Counts the bytes that the group has sent; called once a second, long before 4 GiB are sent. */
  void countSentByGroup(int sent, int lastBytes) {
    if (sent != countedBytes) {
      out.addSent(Integer.toUnsignedLong(sent - countedBytes), lastBytes);
      countedBytes = sent;
    }
  }

  /** Counts events of a group: see {@link ResponseWriter#addSentEvents}. */
  void countEvents(int events) {
    out.addSentEvents(events);
  }

  /** Takes over the state of the group that it leaves. */
  void exitGroup(FrameNode reached, Position ahead, int reachedIn) {
    group = null;
    node = reached;
    position = ahead;
    generation = reachedIn;
    followers.addReady(this);
  }

  /** Leaves its group, if it is in one, since something is to be done with this stream alone. */
  void leaveGroup() {
    FollowerGroup left = group;
    if (left != null) {
      left.remove(this);
      if (node.next() != null) {
        stream.wake(); // the delivery that is going on may not have it
      }
    }
  }

  // ---- the log

  @Override
  public @Nullable Phase advance() {
    return switch (moveToNextEntry()) {
      case null -> {
        followers.markAtEnd(this, node);
        releaseJoinPoint();
        yield null;
      }
      case Frame frame -> send(frame);
      case Gap(Revision before, var _) -> catchUp(before);
      case Splice _, Released _ ->
          throw new IllegalStateException("a log entry that a live stream cannot reach");
    };
  }

  private void releaseJoinPoint() {
    JoinPoint used = joinPoint;
    if (used != null) {
      joinPoint = null;
      used.release();
    }
  }

  /** Moves its own reference to the node of a lagging stream, so that sent frames are released. */
  void retainNode() {
    var _ = moveToNextEntry(); // follows a splice, if there is one
    JoinPoint before = joinPoint;
    if (!isInFeed || (before != null && before.retainedNode().equals(node))) {
      return;
    }
    node.retain();
    joinPoint = new JoinPoint(node, node);
    if (before != null) {
      before.release();
    } else {
      followers.floor().markOwnReference(this);
    }
  }

  private Phase send(Frame frame) {
    boolean more = frame.after().next() instanceof Frame;
    if (more && conflates) {
      return catchUp(frame.before());
    }
    if (frame.isTooLarge(out.maxEventBytes())) {
      return PrivateReplayPhase.nextChange(context, frame.before(), position);
    }
    if (more) {
      LogEntry.JoinedFrames joined = followers.combinedFrames(frame, out.targetBytes());
      out.send(joined.response(), joined.count());
      node = joined.last().after();
      position = joined.last().position();
      followers.recordDelivery(frame);
    } else {
      sendAlone(frame);
    }
    return this;
  }

  private Phase catchUp(Revision before) {
    Position ahead = Position.of(before);
    return new CatchUpPhase(
        context, before, ahead.version().isAfter(position.version()) ? ahead : position);
  }

  /** Moves the position forward: everything that was routed up to there has been sent. */
  void advanceTo(Position routed) {
    leaveGroup();
    if (routed.version().isAfter(position.version())) {
      position = routed;
    }
  }

  /** Excludes the stream from deliveries until its transport is ready again. */
  void block() {
    followers.block(this);
  }

  /** Delegates to {@link SubscribedStream#leaveLogIfTrimmed}. */
  boolean leaveLogIfTrimmed() {
    return stream.leaveLogIfTrimmed();
  }

  /** Returns whether history was trimmed past the next frame. */
  boolean isTrimmed() {
    return nextEntry() instanceof Frame frame && frame.before().isTrimmed();
  }

  /** Moves a stream with unsent frames off the log: frames are kept only for streams that read. */
  @Override
  public Phase onStall() {
    return switch (moveToNextEntry()) {
      case null -> this;
      case Frame frame -> catchUp(frame.before());
      case Gap(Revision before, var _) -> catchUp(before);
      case Splice _, Released _ ->
          throw new IllegalStateException("a log entry that a live stream cannot reach");
    };
  }

  @Override
  public Position position() {
    FollowerGroup in = group;
    return in == null ? position : in.position();
  }

  @Override
  public @Nullable Revision lagBase() {
    return switch (nextEntry()) {
      case Frame frame -> frame.before();
      case Gap(Revision before, var _) -> before;
      case Splice _, Released _ -> null;
      case null -> null;
    };
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.LIVE;
  }

  @Override
  public boolean isBehind() {
    return nextEntry() instanceof Frame frame && frame.after().next() != null;
  }

  /** Returns null: a stream in the log pins no revision; {@link #onStall} moves it to one. */
  @Override
  public @Nullable Revision pinnedRevision() {
    return null;
  }

  @Override
  public Phase afterPinLoss() {
    return this;
  }

  @Override
  public void leave() {
    leaveGroup();
    caughtUp = false;
    releaseJoinPoint();
    stream.cacheStreams().unfollow(followers, this);
    context.router().detach(context.feed());
  }
}
