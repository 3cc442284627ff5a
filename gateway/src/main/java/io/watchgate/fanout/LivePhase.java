package io.watchgate.fanout;

import io.watchgate.cache.Revision;
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
 * <p>While a stream keeps up and nothing else is due, its event loop calls {@link #turn}, which
 * touches only this object and the objects that send. A thousand streams exceed a processor's
 * caches, so every further object is fetched from memory; a full run of the {@link
 * SubscriptionTask} would read half a dozen of them only to find nothing to do.
 */
final class LivePhase implements Phase {
  private final StreamContext context;
  private final SubscriptionTask stream;
  private final ResponseWriter out;
  private final LoopFollowers group;
  private final boolean conflates;
  private FrameNode place;
  private Position position;

  /** True if {@link #turn} has nothing to do but to send the newest frame. */
  private boolean keepsUp;

  /** Index in the ready list of its {@link LoopFollowers}; negative if it is not in the list. */
  int seat = -1;

  /** Last generation of its {@link LoopFollowers} in which it reached the end of the log. */
  int lap;

  /** True if it holds its own reference to a node, so that {@link LoopFollowers} need not. */
  boolean isBound;

  /** Links in the {@link BlockedStreams} of its {@link LoopFollowers}. */
  boolean isAside;

  @Nullable LivePhase asideBefore;
  @Nullable LivePhase asideAfter;

  private final long arrival;

  /** Own reference: until {@link LoopFollowers} holds one for this stream, and while it lags. */
  private @Nullable JoinPoint entrance;

  /** True if its node is in the feed's log, and not in a replay's log that leads there. */
  private boolean isInFeed;

  /**
   * @param entrance join point in the feed's log; released by {@link #leave} at the latest
   */
  LivePhase(StreamContext context, JoinPoint entrance, Position position) {
    this.context = context;
    this.stream = context.stream();
    this.out = context.out();
    this.conflates = context.conflates();
    this.entrance = entrance;
    this.place = entrance.place();
    this.isInFeed = entrance.place().equals(entrance.held());
    this.position = position;
    this.arrival = stream.arrival();
    this.group = stream.follow(context.feed(), this);
  }

  /** Returns {@link SubscriptionTask#arrival}. */
  long arrival() {
    return arrival;
  }

  // ---- sending

  /** Sends the newest frame if nothing else is due; otherwise runs the full task. */
  void turn() {
    try {
      if (keepsUp && sendsNewest()) {
        return;
      }
    } catch (RuntimeException | Error e) {
      stream.failed(e);
      return;
    }
    stream.turn();
  }

  /** Begins a full run of the task, which decides whether the next run is a short one. */
  void beginsTurn() {
    keepsUp = false;
  }

  /**
   * Marks the stream as caught up: everything was sent, and nothing is due before the next change.
   */
  void keepsUp() {
    keepsUp = true;
  }

  /** Returns whether nothing is left: there was one frame, and the transport is still ready. */
  private boolean sendsNewest() {
    if (next() instanceof Frame frame
        && frame.after().step() == null
        && !isTooLarge(frame)
        && out.isReady()) {
      sendAlone(frame);
      if (out.isReady()) {
        group.standReady(this, place);
        giveBack();
        return true;
      }
    }
    return false;
  }

  private void sendAlone(Frame frame) {
    out.send(frame.response(), frame.count());
    place = frame.after();
    position = frame.position();
    group.delivered(frame);
  }

  private boolean isTooLarge(Frame frame) {
    return frame.whole() > out.largest()
        || (frame.count() > 1 && frame.events().size() > out.target());
  }

  /** Returns whether there are entries that were not sent. */
  boolean hasNews() {
    return next() != null;
  }

  private @Nullable LogEntry next() {
    LogEntry step = place.step();
    while (step instanceof Splice(FrameNode to)) {
      place = to;
      isInFeed = true;
      step = to.step();
    }
    return step;
  }

  @Override
  public @Nullable Phase step() {
    return switch (next()) {
      case null -> {
        group.standReady(this, place);
        giveBack();
        yield null;
      }
      case Frame frame -> send(frame);
      case Gap(Revision before, var _) -> catchUp(before);
      case Splice _, Released _ -> throw new IllegalStateException("a chain that broke");
    };
  }

  private void giveBack() {
    JoinPoint used = entrance;
    if (used != null) {
      entrance = null;
      used.release();
    }
  }

  /** Moves its own reference to the node of a lagging stream, so that sent frames are released. */
  void holdPlace() {
    var _ = next(); // follows a splice, if there is one
    JoinPoint before = entrance;
    if (!isInFeed || (before != null && before.held().equals(place))) {
      return;
    }
    place.hold();
    entrance = new JoinPoint(place, place);
    if (before != null) {
      before.release();
    } else {
      group.bind(this);
    }
  }

  private Phase send(Frame frame) {
    boolean more = frame.after().step() instanceof Frame;
    if (more && conflates) {
      return catchUp(frame.before());
    }
    if (isTooLarge(frame)) {
      return new PrivateReplayPhase(context, frame.before(), position, null);
    }
    if (more) {
      LoopFollowers.Joined joined = group.joined(frame, out.target());
      out.send(joined.response(), joined.count());
      place = joined.last().after();
      position = joined.last().position();
      group.delivered(frame);
    } else {
      sendAlone(frame);
    }
    return this;
  }

  private Phase catchUp(Revision before) {
    Position there = Position.of(before);
    return new CatchUpPhase(
        context, before, there.version().isAfter(position.version()) ? there : position);
  }

  /** Moves the position forward: everything that was routed up to there has been sent. */
  void reach(Position routed) {
    if (routed.version().isAfter(position.version())) {
      position = routed;
    }
  }

  /** Excludes the stream from deliveries until its transport is ready again. */
  void standAside() {
    group.standAside(this);
  }

  /** Delegates to {@link SubscriptionTask#stepBackIfTrimmed}. */
  boolean stepBackIfTrimmed() {
    return stream.stepBackIfTrimmed();
  }

  /** Returns whether history was trimmed past the next frame. */
  boolean isTrimmed() {
    return next() instanceof Frame frame && frame.before().trimmed();
  }

  /** Moves a stream with unsent frames off the log: frames are kept only for streams that read. */
  @Override
  public Phase stalls() {
    return switch (next()) {
      case null -> this;
      case Frame frame -> catchUp(frame.before());
      case Gap(Revision before, var _) -> catchUp(before);
      case Splice _, Released _ -> throw new IllegalStateException("a chain that broke");
    };
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public boolean isBehind() {
    return next() instanceof Frame frame && frame.after().step() != null;
  }

  /** Returns null: a stream in the log pins no revision; {@link #stalls} moves it to one. */
  @Override
  public @Nullable Revision standing() {
    return null;
  }

  @Override
  public Phase letGo() {
    return this;
  }

  @Override
  public void leave() {
    keepsUp = false;
    giveBack();
    stream.unfollow(group, this);
    context.router().detach(context.feed());
  }
}
