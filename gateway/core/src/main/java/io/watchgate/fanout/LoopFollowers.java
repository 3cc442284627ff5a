package io.watchgate.fanout;

import io.watchgate.fanout.LogEntry.Frame;
import io.watchgate.select.SwapRemoveList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Followers of one feed on one event loop. The router marks new frames; the event loop then sends
 * to the followers whose transports are ready. A follower that is not ready is skipped until its
 * transport calls. All methods but {@link #markNewFrames} run on the event loop.
 */
final class LoopFollowers extends SwapRemoveList.Item {
  private static final AtomicIntegerFieldUpdater<LoopFollowers> SCHEDULED =
      AtomicIntegerFieldUpdater.newUpdater(LoopFollowers.class, "scheduled");

  private final Feed feed;
  private final LoopDeliveries deliveries;
  private final SendCounters counters;

  /** True if the event loop was notified and has not finished. */
  @SuppressWarnings("UnusedVariable") // read by its updater
  private volatile int scheduled;

  private volatile boolean hasNewFrames;

  /** Usually one stream: thousands of feeds have a single follower per event loop. */
  private final List<LivePhase> ready = new ArrayList<>(1);

  /** True if {@link #ready} is known to be sorted by {@link SubscribedStream#servingOrder}. */
  private boolean isSorted = true;

  private final BlockedStreams blocked = new BlockedStreams();

  private final FrameFloor floor = new FrameFloor();

  /** Created when more than one member is ready. */
  private @Nullable DeliveryOrder delivery;

  /** Groups of ready streams, which are not in {@link #ready} meanwhile. */
  private final FollowerGroups groups;

  private LogEntry.@Nullable JoinedFrames joined;

  /** Recipient of the frames of a feed: a stream, or a group of streams. */
  interface Recipient {
    /** Sends what is new. */
    void run();

    /** Returns the number of streams that a run is likely to serve. */
    int streamCount();
  }

  /**
   * @param deliveries deliveries of the event loop
   * @param counters counters for the frames of the feed
   * @param tasks runs tasks on the event loop, between deliveries
   */
  LoopFollowers(Feed feed, LoopDeliveries deliveries, SendCounters counters, Executor tasks) {
    this.feed = feed;
    this.deliveries = deliveries;
    this.counters = counters;
    this.groups = new FollowerGroups(this, tasks);
  }

  Feed feed() {
    return feed;
  }

  LoopDeliveries deliveries() {
    return deliveries;
  }

  /**
   * Records that there are new frames. Callable from any thread.
   *
   * @return whether the caller must notify the event loop, because no other caller has done so
   */
  boolean markNewFrames() {
    hasNewFrames = true;
    return SCHEDULED.compareAndSet(this, 0, 1);
  }

  /**
   * Records that everything was sent. Returns whether frames were added meanwhile, so that the
   * caller must schedule it again.
   */
  boolean clearNewFrames() {
    scheduled = 0;
    return hasNewFrames && SCHEDULED.compareAndSet(this, 0, 1);
  }

  /** Adds a stream, which holds its own reference. */
  void join(LivePhase stream) {
    floor.add(stream);
  }

  /** Removes a stream. Returns whether it was the last. */
  boolean leave(LivePhase stream) {
    removeFromReady(stream);
    blocked.remove(stream);
    return floor.remove(stream);
  }

  /**
   * Adds a stream to the ready list, to be run on new frames. It needs no reference of its own from
   * now on.
   *
   * @param end node of the stream, which has no next entry yet
   */
  void markAtEnd(LivePhase stream, FrameNode end) {
    floor.markAtEnd(stream, end);
    if (stream.readyIndex < 0) {
      blocked.remove(stream);
      addReady(stream);
    }
  }

  /** Adds a stream that has left its group, or is ready again. */
  void addReady(LivePhase stream) {
    if (stream.readyIndex < 0) {
      int size = ready.size();
      isSorted &= size == 0 || ready.get(size - 1).servingOrder() < stream.servingOrder();
      stream.readyIndex = size;
      ready.add(stream);
    }
  }

  /** Excludes a stream from deliveries until its transport is ready again. */
  void block(LivePhase stream) {
    removeFromReady(stream);
    blocked.add(stream);
  }

  private void removeFromReady(LivePhase stream) {
    int index = stream.readyIndex;
    if (index >= 0) {
      LivePhase last = ready.removeLast();
      if (last != stream) {
        ready.set(index, last);
        last.readyIndex = index;
        isSorted = false;
      }
      stream.readyIndex = -1;
    }
  }

  /**
   * Sorts the ready streams by connection, then by arrival. The objects of streams that arrived
   * together are adjacent in memory, in particular those of the transport. So sending in this order
   * is cheaper than in the order in which the streams caught up. It is also cheaper for a client
   * that opened them in that order. They are not sorted before every delivery: if streams block and
   * resume all the time, sorting costs more than it saves.
   */
  private void sortReady() {
    if (!isSorted) {
      ready.sort(Comparator.comparingLong(LivePhase::servingOrder));
      numberReady();
      isSorted = true;
    }
  }

  /** Runs about {@code maxStreams} streams. Returns the number of streams that ran. */
  int deliver(int maxStreams) {
    DeliveryOrder going = delivery;
    if (going == null || !going.isRunning()) {
      hasNewFrames = false; // before reading, so that later frames schedule another delivery
      blocked.leaveLogIfTrimmed();
      groups.dissolveTrimmed();
      if (groups.isEmpty() && ready.size() <= 1) {
        return deliverToOne();
      }
      if (going == null) {
        going = new DeliveryOrder();
        delivery = going;
      }
      going.start(groups.all(), ready);
    }
    int given = going.run(maxStreams);
    if (!going.isRunning()) {
      joined = null; // keeps sent frames alive
    }
    return given;
  }

  private int deliverToOne() {
    int streamCount = ready.size();
    if (streamCount > 0) {
      ready.getFirst().run();
    }
    joined = null;
    return streamCount;
  }

  /** Returns whether streams are left for another task. */
  boolean isDelivering() {
    return delivery != null && delivery.isRunning();
  }

  /** Records the delivery of a frame. */
  void recordDelivery(Frame frame) {
    counters.recordDelivery(frame.receivedNanos());
  }

  /**
   * Returns a frame and as many following frames as fit, as one response. Streams that lag by the
   * same frames share the response.
   */
  LogEntry.JoinedFrames combinedFrames(Frame first, int limit) {
    LogEntry.JoinedFrames last = joined;
    if (last == null || !last.first().equals(first) || last.limit() != limit) {
      last = LogEntry.JoinedFrames.from(first, limit);
      joined = last;
    }
    return last;
  }

  /** Counts events and bytes that were sent to a group. */
  void recordSent(int events, int bytes) {
    counters.recordSent(events, bytes);
  }

  /**
   * Drops the shared response, sorts, groups the ready streams, and checks lagging streams. Called
   * once a second.
   */
  void checkStreams() {
    joined = null;
    groups.check();
    sortReady();
    groups.form(ready);
    if (ready.removeIf(LivePhase::isInGroup)) {
      numberReady();
    }
    blocked.releaseSentFrames();
  }

  // ---- groups

  FollowerGroups groups() {
    return groups;
  }

  FrameFloor floor() {
    return floor;
  }

  private void numberReady() {
    for (int i = 0; i < ready.size(); i++) {
      ready.get(i).readyIndex = i;
    }
  }
}
