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
  private final StreamLoop loop;
  private final SendCounters counters;

  /** True if the event loop was notified and has not finished. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int called;

  private volatile boolean dirty;

  /** Usually one stream: thousands of feeds have a single follower per event loop. */
  private final List<LivePhase> ready = new ArrayList<>(1);

  /** True if {@link #ready} is known to be sorted by {@link SubscriptionTask#arrival}. */
  private boolean isSorted = true;

  private final BlockedStreams blocked = new BlockedStreams();

  /** Index in the list of {@link CacheSubscribers}. */
  int index;

  private int members;

  /** Members that hold their own reference: they have just joined, or lag. */
  private int withOwnReference;

  /**
   * Referenced node: all members without their own reference are at it or after it. Null if there
   * are no such members.
   */
  private @Nullable FrameNode floor;

  /**
   * Number of the current generation. It ends when all members without their own reference have
   * reached the end of the log in it.
   */
  private int generation = 1;

  /**
   * Number of members that reached the end of the log in this generation, and the node that the
   * first of them reached. The others reached the same node or a later one.
   */
  private int reached;

  private @Nullable FrameNode first;

  /** Created when more than one member is ready. */
  private @Nullable Delivery delivery;

  private @Nullable Joined joined;

  /** Several frames as one response. */
  record Joined(Frame first, Frame last, ByteSlices response, int count, int limit) {}

  /**
   * @param counters counters for the frames of the feed
   */
  LoopFollowers(Feed feed, StreamLoop loop, SendCounters counters) {
    this.feed = feed;
    this.loop = loop;
    this.counters = counters;
  }

  Feed feed() {
    return feed;
  }

  StreamLoop loop() {
    return loop;
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
    withOwnReference++;
    stream.hasOwnReference = true;
    stream.generation = 0;
  }

  /** Excludes a stream from the floor, because it holds its own reference from now on. */
  void bind(LivePhase stream) {
    stream.hasOwnReference = true;
    withOwnReference++;
    if (stream.generation == generation) {
      reached--;
      stream.generation = 0;
    }
    moveFloor();
  }

  /** Removes a stream. Returns whether it was the last. */
  boolean leave(LivePhase stream) {
    removeFromReady(stream);
    blocked.remove(stream);
    members--;
    if (stream.hasOwnReference) {
      withOwnReference--;
    } else if (stream.generation == generation) {
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
  void markReady(LivePhase stream, FrameNode end) {
    if (stream.hasOwnReference) {
      stream.hasOwnReference = false;
      withOwnReference--;
    }
    if (stream.generation != generation) {
      stream.generation = generation;
      if (reached++ == 0) {
        first = end;
      }
      moveFloor();
    }
    if (stream.readyIndex < 0) {
      blocked.remove(stream);
      int size = ready.size();
      isSorted &= size == 0 || ready.get(size - 1).arrival() < stream.arrival();
      stream.readyIndex = size;
      ready.add(stream);
    }
  }

  /**
   * Moves {@code floor} to the earliest node that every member has reached since the last move, and
   * releases the former floor.
   */
  private void moveFloor() {
    if (members == withOwnReference) {
      if (floor != null) {
        floor.release();
        floor = null;
      }
      generation++;
      reached = 0;
      first = null;
      return;
    }
    FrameNode reachedByAll = first;
    if (reachedByAll == null || (floor != null && reached < members - withOwnReference)) {
      return;
    }
    if (!reachedByAll.equals(floor)) {
      reachedByAll.retain();
      if (floor != null) {
        floor.release();
      }
      floor = reachedByAll;
    }
    if (reached == members - withOwnReference) {
      generation++;
      reached = 0;
      first = null;
    }
  }

  /** Excludes a stream from deliveries until its transport is ready again. */
  void block(LivePhase stream) {
    removeFromReady(stream);
    blocked.add(stream);
  }

  private void removeFromReady(LivePhase stream) {
    int seat = stream.readyIndex;
    if (seat >= 0) {
      LivePhase last = ready.removeLast();
      if (last != stream) {
        ready.set(seat, last);
        last.readyIndex = seat;
        isSorted = false;
      }
      stream.readyIndex = -1;
    }
  }

  /**
   * Sorts the ready streams by arrival. Streams that arrived together are adjacent in memory, above
   * all their transport state, so sending in that order is cheaper than in the order in which they
   * caught up; the same holds for a client that opened them in that order. Not sorted before every
   * delivery: if streams block and resume all the time, sorting would cost more than it saves.
   */
  private void sortReady() {
    if (!isSorted) {
      ready.sort(Comparator.comparingLong(LivePhase::arrival));
      for (int i = 0; i < ready.size(); i++) {
        ready.get(i).readyIndex = i;
      }
      isSorted = true;
    }
  }

  /** Runs at most {@code turns} streams. Returns the number of streams that ran. */
  int deliver(int turns) {
    Delivery going = delivery;
    if (going == null || !going.isRunning()) {
      dirty = false; // before reading, so that later frames schedule another delivery
      removeTrimmed();
      if (ready.size() <= 1) {
        return deliverToOne();
      }
      if (going == null) {
        going = new Delivery();
        delivery = going;
      }
      going.start(ready);
    }
    int given = going.run(turns);
    if (!going.isRunning()) {
      joined = null; // keeps sent frames alive
    }
    return given;
  }

  private int deliverToOne() {
    int turns = ready.size();
    if (turns > 0) {
      ready.getFirst().run();
    }
    joined = null;
    return turns;
  }

  /** Returns whether streams are left for another task. */
  boolean isDelivering() {
    return delivery != null && delivery.isRunning();
  }

  /**
   * Moves blocked streams off the log if history was trimmed past their next frame. Frames behind
   * history would otherwise stay alive without being accounted for.
   */
  private void removeTrimmed() {
    LivePhase longest = blocked.first();
    while (longest != null && longest.leaveLogIfTrimmed()) {
      longest = blocked.first();
    }
  }

  /** Records the delivery of a frame. */
  void delivered(Frame frame) {
    counters.delivered(frame.receivedNanos());
  }

  /**
   * Returns a frame and as many following frames as fit, as one response. Streams that lag by the
   * same frames share the response.
   */
  Joined combinedFrames(Frame first, int limit) {
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
    while (last.after().next() instanceof Frame next
        && bytes + next.events().size() <= limit
        && next.requiredReceiveLimit() <= limit) {
      events.add(next.events());
      bytes += next.events().size();
      count += next.count();
      last = next;
    }
    return new Joined(first, last, events.add(last.end()).build(), count, limit);
  }

  /** Drops the shared response, sorts, and checks lagging streams. Called once a second. */
  void checkStreams() {
    joined = null;
    sortReady();
    releaseSentFrames();
  }

  /**
   * Releases sent frames that a lagging stream keeps alive: a stream that reads, but never reaches
   * the end of the log. Moves it off the log if history was trimmed past its next frame.
   */
  private void releaseSentFrames() {
    LivePhase next = blocked.first();
    while (next != null) {
      LivePhase stream = next;
      next = stream.blockedAfter;
      if (!stream.leaveLogIfTrimmed()) {
        stream.retainNode();
      }
    }
  }

  /**
   * Delivery by round robin over the ready streams, in several portions if necessary. It starts at
   * another stream each time. Used by one event loop.
   */
  private static final class Delivery {
    private final List<LivePhase> order = new ArrayList<>();
    private int ranCount;
    private int start;

    /** Starts an iteration over the streams that are ready now, of which there is at least one. */
    void start(List<LivePhase> ready) {
      int size = ready.size();
      start = (start + 1) % size;
      for (int i = 0; i < size; i++) {
        order.add(ready.get((start + i) % size));
      }
    }

    /** Returns whether streams are left for another task. */
    boolean isRunning() {
      return ranCount < order.size();
    }

    /** Runs at most {@code turns} streams. Returns the number of streams that ran. */
    int run(int turns) {
      int from = ranCount;
      int until = Math.min(order.size(), from + turns);
      while (ranCount < until) {
        order.get(ranCount++).run();
      }
      if (!isRunning()) {
        order.clear();
        ranCount = 0;
      }
      return until - from;
    }
  }
}
