package io.watchgate.fanout;

import io.watchgate.fanout.LogEntry.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Followers of one feed on one event loop. The router raises a flag; the event loop then sends to
 * the followers whose transports are ready. A follower that is not ready is skipped until its
 * transport calls. Holds one reference to a frame node for its followers together. All methods but
 * {@link #raise} run on the event loop.
 */
final class LoopFollowers {
  private static final AtomicIntegerFieldUpdater<LoopFollowers> CALLED =
      AtomicIntegerFieldUpdater.newUpdater(LoopFollowers.class, "called");

  private final Feed feed;
  private final StreamLoop owner;
  private final SendCounters traffic;

  /** True if the event loop was notified and has not finished. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int called;

  private volatile boolean dirty;

  /** Usually one stream: thousands of feeds have a single follower per event loop. */
  private final List<LivePhase> ready = new ArrayList<>(1);

  /** True if {@link #ready} is known to be sorted by {@link SubscriptionTask#arrival}. */
  private boolean inOrder = true;

  private final BlockedStreams aside = new BlockedStreams();

  /** Index in the list of {@link CacheSubscribers}. */
  int seat;

  private int members;

  /** Members that hold their own reference: they have just joined, or lag. */
  private int bound;

  /**
   * Referenced node: all members without their own reference are at it or after it. Null if there
   * are no such members.
   */
  private @Nullable FrameNode floor;

  /**
   * Number of the current generation. It ends when all members without their own reference have
   * reached the end of the log in it.
   */
  private int lap = 1;

  /**
   * Number of members that reached the end of the log in this generation, and the node that the
   * first of them reached. The others reached the same node or a later one.
   */
  private int reached;

  private @Nullable FrameNode first;

  /** Created when more than one member is ready. */
  private @Nullable RoundRobin walk;

  private @Nullable Joined joined;

  /** Several frames as one response. */
  record Joined(Frame first, Frame last, ByteSlices response, int count, int limit) {}

  /**
   * @param traffic counters for the frames of the feed
   */
  LoopFollowers(Feed feed, StreamLoop owner, SendCounters traffic) {
    this.feed = feed;
    this.owner = owner;
    this.traffic = traffic;
  }

  Feed feed() {
    return feed;
  }

  StreamLoop owner() {
    return owner;
  }

  /**
   * Raises the flag: there are new frames. Callable from any thread.
   *
   * @return whether the caller must notify the event loop, because no other caller has done so
   */
  boolean raise() {
    dirty = true;
    return CALLED.compareAndSet(this, 0, 1);
  }

  /**
   * Lowers the flag after everything was sent. Returns whether frames were added meanwhile, so that
   * the caller must schedule it again.
   */
  boolean lower() {
    called = 0;
    return dirty && CALLED.compareAndSet(this, 0, 1);
  }

  /** Adds a stream, which holds its own reference. */
  void join(LivePhase stream) {
    members++;
    bound++;
    stream.isBound = true;
    stream.lap = 0;
  }

  /** Excludes a stream from the floor, because it holds its own reference from now on. */
  void bind(LivePhase stream) {
    stream.isBound = true;
    bound++;
    if (stream.lap == lap) {
      reached--;
      stream.lap = 0;
    }
    moveFloor();
  }

  /** Removes a stream. Returns whether it was the last. */
  boolean leave(LivePhase stream) {
    withdraw(stream);
    aside.remove(stream);
    members--;
    if (stream.isBound) {
      bound--;
    } else if (stream.lap == lap) {
      reached--;
    }
    moveFloor();
    return members == 0;
  }

  /**
   * Adds a stream to the ready list, to be run on new frames. It needs no reference of its own from
   * now on.
   *
   * @param end node of the stream, which has no next entry yet
   */
  void standReady(LivePhase stream, FrameNode end) {
    if (stream.isBound) {
      stream.isBound = false;
      bound--;
    }
    if (stream.lap != lap) {
      stream.lap = lap;
      if (reached++ == 0) {
        first = end;
      }
      moveFloor();
    }
    if (stream.seat < 0) {
      aside.remove(stream);
      int size = ready.size();
      inOrder &= size == 0 || ready.get(size - 1).arrival() < stream.arrival();
      stream.seat = size;
      ready.add(stream);
    }
  }

  /**
   * Moves {@code floor} to the earliest node that every member has reached since the last move, and
   * releases the former floor.
   */
  private void moveFloor() {
    if (members == bound) {
      if (floor != null) {
        floor.release();
        floor = null;
      }
      lap++;
      reached = 0;
      first = null;
      return;
    }
    FrameNode reachedByAll = first;
    if (reachedByAll == null || (floor != null && reached < members - bound)) {
      return;
    }
    if (!reachedByAll.equals(floor)) {
      reachedByAll.hold();
      if (floor != null) {
        floor.release();
      }
      floor = reachedByAll;
    }
    if (reached == members - bound) {
      lap++;
      reached = 0;
      first = null;
    }
  }

  /** Excludes a stream from deliveries until its transport is ready again. */
  void standAside(LivePhase stream) {
    withdraw(stream);
    aside.add(stream);
  }

  private void withdraw(LivePhase stream) {
    int seat = stream.seat;
    if (seat >= 0) {
      LivePhase last = ready.removeLast();
      if (last != stream) {
        ready.set(seat, last);
        last.seat = seat;
        inOrder = false;
      }
      stream.seat = -1;
    }
  }

  /**
   * Sorts the ready streams by arrival. Streams that arrived together are adjacent in memory, above
   * all their transport state, so sending in that order is cheaper than in the order in which they
   * caught up; the same holds for a client that opened them in that order. Not sorted before every
   * delivery: if streams block and resume all the time, sorting would cost more than it saves.
   */
  private void order() {
    if (!inOrder) {
      ready.sort(Comparator.comparingLong(LivePhase::arrival));
      for (int i = 0; i < ready.size(); i++) {
        ready.get(i).seat = i;
      }
      inOrder = true;
    }
  }

  /** Runs at most {@code turns} streams. Returns the number of streams that ran. */
  int walk(int turns) {
    RoundRobin going = walk;
    if (going == null || !going.isUnderWay()) {
      dirty = false; // before reading, so that later frames schedule another delivery
      letStepBack();
      if (ready.size() <= 1) {
        return walkAlone();
      }
      if (going == null) {
        going = new RoundRobin();
        walk = going;
      }
      going.begin(ready);
    }
    int given = going.go(turns);
    if (!going.isUnderWay()) {
      joined = null; // keeps sent frames alive
    }
    return given;
  }

  private int walkAlone() {
    int turns = ready.size();
    if (turns > 0) {
      ready.getFirst().turn();
    }
    joined = null;
    return turns;
  }

  /** Returns whether streams are left for another task. */
  boolean isWalking() {
    return walk != null && walk.isUnderWay();
  }

  /**
   * Moves blocked streams off the log if history was trimmed past their next frame. Frames behind
   * history would otherwise stay alive without being accounted for.
   */
  private void letStepBack() {
    LivePhase longest = aside.first();
    while (longest != null && longest.stepBackIfTrimmed()) {
      longest = aside.first();
    }
  }

  /** Records the delivery of a frame. */
  void delivered(Frame frame) {
    traffic.delivered(frame.receivedNanos());
  }

  /**
   * Returns a frame and as many following frames as fit, as one response. Streams that lag by the
   * same frames share the response.
   */
  Joined joined(Frame first, int limit) {
    Joined last = joined;
    if (last != null && last.first.equals(first) && last.limit == limit) {
      return last;
    }
    Joined made = join(first, limit);
    joined = made;
    return made;
  }

  private static Joined join(Frame first, int limit) {
    Frame last = first;
    int bytes = first.response().size();
    int count = first.count();
    ByteSlices.Builder events = new ByteSlices.Builder(64).add(first.events());
    while (last.after().step() instanceof Frame next
        && bytes + next.events().size() <= limit
        && next.whole() <= limit) {
      events.add(next.events());
      bytes += next.events().size();
      count += next.count();
      last = next;
    }
    return new Joined(first, last, events.add(last.end()).build(), count, limit);
  }

  /** Drops the shared response, sorts, and checks lagging streams. Called once a second. */
  void round() {
    joined = null;
    order();
    lookAtLaggards();
  }

  /**
   * Releases sent frames that a lagging stream keeps alive: a stream that reads, but never reaches
   * the end of the log. Moves it off the log if history was trimmed past its next frame.
   */
  private void lookAtLaggards() {
    LivePhase next = aside.first();
    while (next != null) {
      LivePhase stream = next;
      next = stream.asideAfter;
      if (!stream.stepBackIfTrimmed()) {
        stream.holdPlace();
      }
    }
  }
}
