package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.fanout.LogEntry.Frame;
import io.watchgate.fanout.LogEntry.Gap;
import io.watchgate.fanout.LogEntry.Released;
import io.watchgate.fanout.LogEntry.Splice;
import org.jspecify.annotations.Nullable;

/**
 * Follows the feed: whoever keeps up sends each frame at once, as it was encoded for all; whoever
 * is behind sends several in one response. Caught up, it holds a place and a position and nothing
 * else.
 *
 * <p>Whoever keeps up, and of whom nothing else is due, has its turns here ({@link #turn}), and
 * touches this and what sends. A thousand streams are more than a processor's caches hold, so that
 * each object more is fetched from memory: a whole turn of the {@link SubscriptionTask} looks at
 * half a dozen of them, only to find that there is nothing to do, and cost a sixth of a delivery.
 */
final class LivePhase implements Phase {
  private final StreamContext context;
  private final SubscriptionTask stream;
  private final ResponseWriter out;
  private final LoopFollowers group;
  private final boolean conflates;
  private FrameNode place;
  private Position position;

  /** Whether a turn has nothing to do but to send what is new. */
  private boolean keepsUp;

  /** Among those of its {@link LoopFollowers} that are ready; negative: it is not. */
  int seat = -1;

  /** Of its {@link LoopFollowers}, the last in which it was at the end of the chain. */
  int lap;

  /** Whether it holds a place of its own, which {@link LoopFollowers} need not look after. */
  boolean isBound;

  /** In its group's {@link BlockedStreams}. */
  boolean isAside;

  @Nullable LivePhase asideBefore;
  @Nullable LivePhase asideAfter;

  private final long arrival;

  /** Until the group looks after where it stands, and while it lags. */
  private @Nullable JoinPoint entrance;

  /** Whether its place is in the feed's chain, and not in that of a replay which leads there. */
  private boolean isInFeed;

  /**
   * @param entrance where the stream stands in the feed's chain; given back with {@link #leave}
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

  /** {@link SubscriptionTask#arrival}. */
  long arrival() {
    return arrival;
  }

  // ---- turns

  /** One turn. */
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

  /** A whole turn begins: what it finds decides how the next one is. */
  void beginsTurn() {
    keepsUp = false;
  }

  /** It was found that everything was sent, and that nothing is due before the next change. */
  void keepsUp() {
    keepsUp = true;
  }

  /** Whether that was all: there was one frame, and the transport takes more. */
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

  /** Whether anything came after what was sent. */
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

  /** It lags: what it has sent is kept for it no longer. */
  void holdPlace() {
    var _ = next(); // over a link, if it stands before one
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

  /** Everything that was routed up to there has been sent. */
  void reach(Position routed) {
    if (routed.version().isAfter(position.version())) {
      position = routed;
    }
  }

  /** The transport takes no more: the group passes it over until it does. */
  void standAside() {
    group.standAside(this);
  }

  /** {@link SubscriptionTask#stepBackIfTrimmed}. */
  boolean stepBackIfTrimmed() {
    return stream.stepBackIfTrimmed();
  }

  /** Whether history has let go of what is to be sent. */
  boolean isTrimmed() {
    return next() instanceof Frame frame && frame.before().trimmed();
  }

  /** What is to be sent stays with the cache: frames are for those who read. */
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

  /** Nobody lets go of a place in a feed; {@link #stalls} comes before. */
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
