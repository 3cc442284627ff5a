package io.watchgate.fanout;

import io.watchgate.fanout.LogEntry.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one feed on one owner. The router raises its flag; the owner then gives those a
 * turn whose transports are ready. Who is not ready stands aside until the transport calls. All but
 * {@link #raise} runs on the owner.
 */
final class LoopFollowers {
  private static final AtomicIntegerFieldUpdater<LoopFollowers> CALLED =
      AtomicIntegerFieldUpdater.newUpdater(LoopFollowers.class, "called");

  private final Feed feed;
  private final StreamLoop owner;
  private final SendCounters traffic;

  /** Whether the owner was called and has not finished with it. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int called;

  private volatile boolean dirty;

  /** Mostly of one: thousands of groups have a stream each. */
  private final List<LivePhase> ready = new ArrayList<>(1);

  /** Whether {@link #ready} is by {@link SubscriptionTask#arrival}, as far as is known. */
  private boolean inOrder = true;

  private final BlockedStreams aside = new BlockedStreams();

  /** Among the groups of {@link CacheSubscribers}. */
  int seat;

  private int members;

  /** Members that hold a place of their own: they came in there, or lag. */
  private int bound;

  /** Held: all members that are not bound are there or further on. Null while there are none. */
  private @Nullable FrameNode floor;

  /** Counts how often all that are not bound have been at the end of the chain. */
  private int lap = 1;

  /**
   * How many of them have been in this lap, and where the first of them was: all others were
   * further on.
   */
  private int reached;

  private @Nullable FrameNode first;

  /** Made when more than one are ready. */
  private @Nullable RoundRobin walk;

  private @Nullable Joined joined;

  /** Some frames as one response. */
  record Joined(Frame first, Frame last, ByteSlices response, int count, int limit) {}

  /**
   * @param traffic that the frames of the feed belong to
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
   * There are new frames: raises the flag. From any thread.
   *
   * @return whether the owner is to be told, as nobody has told it yet
   */
  boolean raise() {
    dirty = true;
    return CALLED.compareAndSet(this, 0, 1);
  }

  /** Nothing is left to do. Returns whether to queue it again nevertheless, for what came since. */
  boolean lower() {
    called = 0;
    return dirty && CALLED.compareAndSet(this, 0, 1);
  }

  /** It holds where it came in. */
  void join(LivePhase stream) {
    members++;
    bound++;
    stream.isBound = true;
    stream.lap = 0;
  }

  /** It holds its place from now on, so that the floor need not wait for it. */
  void bind(LivePhase stream) {
    stream.isBound = true;
    bound++;
    if (stream.lap == lap) {
      reached--;
      stream.lap = 0;
    }
    moveFloor();
  }

  /** Returns whether it was the last. */
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
   * Wants a turn whenever there are new frames, and need not hold a place of its own any more.
   *
   * @param end where it stands, which nothing follows yet
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

  /** To where the first has been of those who all have been at the end since it was moved last. */
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

  /** Is passed over until the transport calls. */
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
   * Streams that came one after the other lie next to each other in memory, the transport's part of
   * them above all: a walk in that order is a tenth cheaper than one in the order in which they
   * happened to catch up, here and for a client that opened them in turn. Not at every walk: where
   * streams block and go on all the time, sorting would cost more than it saves.
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

  /** Gives at most so many turns. Returns how many. */
  int walk(int turns) {
    RoundRobin going = walk;
    if (going == null || !going.isUnderWay()) {
      dirty = false; // before looking, so that what comes meanwhile is seen by the next walk
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
      joined = null; // it keeps alive what all have sent
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

  /** Whether turns are left for another task. */
  boolean isWalking() {
    return walk != null && walk.isUnderWay();
  }

  /** Whoever steps back leaves. What history has let go of is kept for nobody unaccounted. */
  private void letStepBack() {
    LivePhase longest = aside.first();
    while (longest != null && longest.stepBackIfTrimmed()) {
      longest = aside.first();
    }
  }

  /** A frame was sent. */
  void delivered(Frame frame) {
    traffic.delivered(frame.receivedNanos());
  }

  /**
   * A frame and those after it as one response, as many as fit. Those who are behind by the same
   * frames get the same.
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

  /** Once a second. */
  void round() {
    joined = null;
    order();
    lookAtLaggards();
  }

  /**
   * A stream that reads, but never comes to the end of the chain, keeps no frame alive that it has
   * sent, nor one that history has let go of.
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
