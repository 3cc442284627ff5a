package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.Position;
import io.watchgate.encode.ProtoTime;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.select.SwapRemoveList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Streams of one event loop that watch one cache. Used by that event loop. */
final class CacheStreamSet {
  private final WatchCache cache;
  private final int number;
  private final StreamLoop loop;
  private final TimeSource time;
  private final FanoutMetrics metrics;
  private final SwapRemoveList<SubscribedStream> streams = new SwapRemoveList<>();
  private final SwapRemoveList<LoopFollowers> followersOfFeeds = new SwapRemoveList<>();

  /** Streams that are woken on every change of the cache, because they cannot follow a feed yet. */
  private final Set<SubscribedStream> listening = new LinkedHashSet<>();

  private @Nullable TickBookmark lastBookmark;

  private final AtomicBoolean changed = new AtomicBoolean();
  private final Runnable listener = this::onChange;

  CacheStreamSet(
      WatchCache cache, int number, StreamLoop loop, TimeSource time, FanoutMetrics metrics) {
    this.cache = cache;
    this.number = number;
    this.loop = loop;
    this.time = time;
    this.metrics = metrics;
  }

  WatchCache cache() {
    return cache;
  }

  void join(SubscribedStream stream) {
    streams.add(stream);
  }

  /** Removes a stream. Returns whether it was the last. */
  boolean leave(SubscribedStream stream) {
    streams.remove(stream);
    unlisten(stream);
    return streams.size() == 0;
  }

  int size() {
    return streams.size();
  }

  /** Passes on the states of the streams with these indexes, the last one first. */
  void survey(int from, int to, Consumer<StreamState> visitor) {
    for (int i = to - 1; i >= from; i--) {
      visitor.accept(streams.get(i).state());
    }
  }

  // ---- followers of feeds

  LoopFollowers follow(Feed feed, LivePhase stream) {
    LoopFollowers followers = feed.followersOn(loop.deliveries());
    if (followers == null) {
      followers =
          new LoopFollowers(
              feed, loop.deliveries(), loop.sendCounters(cache.definition().type()), loop::execute);
      followersOfFeeds.add(followers);
      feed.add(followers);
    }
    followers.join(stream);
    return followers;
  }

  void unfollow(LoopFollowers followers, LivePhase stream) {
    if (followers.leave(stream)) {
      followersOfFeeds.remove(followers);
      followers.feed().remove(followers);
    }
  }

  // ---- listeners of the cache itself

  void listen(SubscribedStream stream) {
    if (listening.isEmpty()) {
      cache.addListener(listener);
    }
    listening.add(stream);
  }

  void unlisten(SubscribedStream stream) {
    if (listening.remove(stream) && listening.isEmpty()) {
      cache.removeListener(listener);
    }
  }

  /** Schedules the listening streams. Runs on the writer's thread. */
  private void onChange() {
    if (changed.compareAndSet(false, true)) {
      loop.execute(this::wakeListening);
    }
  }

  private void wakeListening() {
    changed.set(false); // before reading, so that later changes schedule another run
    new ArrayList<>(listening).forEach(SubscribedStream::run); // copied: running may end a stream
  }

  // ---- bookmarks

  /**
   * Content that the bookmarks of one tick share.
   *
   * @param routed progress of the router; null before the first list
   * @param ofRouted bookmark at the router's position, with a proof that may hold for it alone
   * @param ofLater bookmark at a later position
   */
  record TickBookmark(
      ChangeRouter.@Nullable RouterProgress routed,
      long tick,
      Bookmark ofRouted,
      Bookmark ofLater) {

    /** Returns the bookmark without a proof, for a stream that has not reached the position. */
    Bookmark withoutProof() {
      return ofLater.toBuilder().clearVerifiedAt().build();
    }

    /** Returns the bookmark of a stream that has reached the position, or a later one. */
    Bookmark bookmark(Position position) {
      return routed != null && position.equals(routed.position()) ? ofRouted : ofLater;
    }

    boolean isReachedBy(Position position) {
      return routed != null
          && (position.version().isAfter(routed.position().version())
              || position.equals(routed.position())); // a delete may have no version of its own
    }

    /** Moves a stream that has sent all frames of its feed to the router's position. */
    void moveToRouted(LivePhase stream) {
      if (routed != null) {
        stream.advanceTo(routed.position());
      }
    }
  }

  TickBookmark tickBookmark(ChangeRouter router) {
    // Before the head: a head that is read later is covered by this proof.
    TimeSource.Reading proof = cache.proofs().provenByVersion();
    Revision head = cache.head();
    ChangeRouter.RouterProgress routed = router.routed();
    long tick = loop.wheel().now();
    TickBookmark last = lastBookmark;
    if (last != null && last.tick == tick && Objects.equals(last.routed, routed)) {
      return last;
    }
    TimeSource.Reading alone = null;
    if (routed != null) {
      alone = cache.proofs().provenEqual(routed.number());
      if (head != null && routed.number() < head.number()) {
        proof = routed.verified(); // a newer proof covers changes that are not routed yet
      }
    }
    Bookmark.Builder bookmark = Bookmark.newBuilder().setSentAt(ProtoTime.of(time.now()));
    Bookmark ofLater = verified(bookmark, proof);
    Bookmark ofRouted = verified(bookmark, TimeSource.Reading.later(proof, alone));
    TickBookmark now = new TickBookmark(routed, tick, ofRouted, ofLater);
    lastBookmark = now;
    return now;
  }

  private static Bookmark verified(Bookmark.Builder bookmark, TimeSource.@Nullable Reading proof) {
    if (proof != null) {
      bookmark.setVerifiedAt(ProtoTime.of(proof.wall()));
    }
    return bookmark.build();
  }

  // ---- once a second

  /** Records the connections that accepted data. */
  void recordActivity(SlowReaderPolicy.ActiveConnections active) {
    followersOfFeeds.forEach(followers -> followers.groups().countForMembers());
    streams.forEach(stream -> stream.recordActivity(active));
  }

  /** Checks all streams, above all for clients that do not read, and measures the largest lag. */
  void checkStreams(SlowReaderPolicy.ActiveConnections active) {
    followersOfFeeds
        .copy()
        .forEach(LoopFollowers::checkStreams); // copied: the last follower may leave
    Revision head = cache.head();
    long events = 0;
    long bytes = 0;
    for (SubscribedStream stream : streams.copy()) {
      stream.check(active);
      Revision base = stream.pinnedRevision();
      if (base != null && head != null) {
        events = Math.max(events, head.events() - base.events());
        bytes = Math.max(bytes, head.supersededBytes() - base.supersededBytes());
      }
    }
    metrics.recordLargestLag(cache.definition().type(), number, events, bytes);
  }

  /** Resets the lag metrics after the last stream has left. */
  void clearMetrics() {
    metrics.recordLargestLag(cache.definition().type(), number, 0, 0);
  }
}
