package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.proto.v1.Bookmark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The streams of one owner that watch one cache. Used by the owner. */
final class CacheSubscribers {
  private final WatchCache cache;
  private final int number;
  private final StreamLoop owner;
  private final TimeSource time;
  private final FanoutMetrics metrics;
  private final List<SubscriptionTask> streams = new ArrayList<>();
  private final List<LoopFollowers> groups = new ArrayList<>();

  /** Those who cannot follow a feed yet and want to know whatever the cache has to tell. */
  private final Set<SubscriptionTask> listening = new LinkedHashSet<>();

  private @Nullable Progress progress;

  private final AtomicBoolean news = new AtomicBoolean();
  private final Runnable listener = this::onNews;

  CacheSubscribers(
      WatchCache cache, int number, StreamLoop owner, TimeSource time, FanoutMetrics metrics) {
    this.cache = cache;
    this.number = number;
    this.owner = owner;
    this.time = time;
    this.metrics = metrics;
  }

  WatchCache cache() {
    return cache;
  }

  void join(SubscriptionTask stream) {
    stream.seat = streams.size();
    streams.add(stream);
  }

  /** Returns whether it was the last. */
  boolean leave(SubscriptionTask stream) {
    SubscriptionTask last = streams.removeLast();
    if (last != stream) {
      streams.set(stream.seat, last);
      last.seat = stream.seat;
    }
    unlisten(stream);
    return streams.isEmpty();
  }

  // ---- who follows a feed

  LoopFollowers follow(Feed feed, LivePhase stream) {
    LoopFollowers group = feed.group(owner);
    if (group == null) {
      group = new LoopFollowers(feed, owner, owner.traffic(cache.definition().type()));
      group.seat = groups.size();
      groups.add(group);
      feed.add(group);
    }
    group.join(stream);
    return group;
  }

  void unfollow(LoopFollowers group, LivePhase stream) {
    if (group.leave(stream)) {
      LoopFollowers last = groups.removeLast();
      if (last != group) {
        groups.set(group.seat, last);
        last.seat = group.seat;
      }
      group.feed().remove(group);
    }
  }

  // ---- who listens to the cache itself

  void listen(SubscriptionTask stream) {
    if (listening.isEmpty()) {
      cache.addListener(listener);
    }
    listening.add(stream);
  }

  void unlisten(SubscriptionTask stream) {
    if (listening.remove(stream) && listening.isEmpty()) {
      cache.removeListener(listener);
    }
  }

  /** On the writer's thread. */
  private void onNews() {
    if (news.compareAndSet(false, true)) {
      owner.execute(this::wakeListening);
    }
  }

  private void wakeListening() {
    news.set(false); // before looking, so that what comes meanwhile is seen by the next round
    new ArrayList<>(listening).forEach(SubscriptionTask::turn); // a turn may end a stream
  }

  // ---- bookmarks

  /**
   * What bookmarks of one tick say.
   *
   * @param routed how far the router had come; null before the first list
   */
  record Progress(ChangeRouter.@Nullable Routed routed, long tick, Bookmark bookmark) {

    /** For a stream that is not there yet: it claims nothing. */
    Bookmark withoutProof() {
      return bookmark.toBuilder().clearVerifiedAt().build();
    }

    boolean isReachedBy(Position position) {
      return routed != null && !routed.position().version().isAfter(position.version());
    }

    /** All that the feed has was sent: that is everything up to there. */
    void reach(LivePhase stream) {
      if (routed != null) {
        stream.reach(routed.position());
      }
    }
  }

  Progress progress(ChangeRouter router) {
    Instant verified = cache.verifiedAt(); // before the head: that of then is at least as new
    Revision head = cache.head();
    ChangeRouter.Routed routed = router.routed();
    long tick = owner.wheel().now();
    Progress last = progress;
    if (last != null && last.tick == tick && Objects.equals(last.routed, routed)) {
      return last;
    }
    if (head != null && routed != null && routed.number() < head.number()) {
      verified = routed.verifiedAt(); // what was proved since is not routed yet
    }
    Bookmark.Builder bookmark = Bookmark.newBuilder().setSentAt(ProtoTime.of(time.now()));
    if (verified != null) {
      bookmark.setVerifiedAt(ProtoTime.of(verified));
    }
    Progress now = new Progress(routed, tick, bookmark.build());
    progress = now;
    return now;
  }

  // ---- once a second

  /** Tells which connections move. */
  void look(ActiveConnections movement) {
    streams.forEach(stream -> stream.look(movement));
  }

  /** Looks after those who do not read, and measures how far behind the last one is. */
  void round(ActiveConnections movement) {
    List.copyOf(groups).forEach(LoopFollowers::round); // the last of one may step back
    Revision head = cache.head();
    long events = 0;
    long bytes = 0;
    for (SubscriptionTask stream : new ArrayList<>(streams)) {
      stream.round(movement);
      Revision standing = stream.standing();
      if (standing != null && head != null) {
        events = Math.max(events, head.events() - standing.events());
        bytes = Math.max(bytes, head.superseded() - standing.superseded());
      }
    }
    metrics.behind(cache.definition().type(), number, events, bytes);
  }

  /** The last one left: nobody is behind any more. */
  void end() {
    metrics.behind(cache.definition().type(), number, 0, 0);
  }
}
