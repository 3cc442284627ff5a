package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The feeds of one cache that somebody follows, each with its chain, and the index that tells which
 * of them a change concerns. Used by the router alone.
 */
final class FeedIndex {
  private final Map<Feed, FrameLog> feeds = new HashMap<>();
  private final Map<ObjectProjection, ChangeEncoder> encoded = new HashMap<>();

  /** Leads to chains, not to what else stands here: a change touches as little as it can. */
  private final SelectionIndex<FrameLog> index = new SelectionIndex<>();

  private final List<FrameLog> concerned = new ArrayList<>();
  private final List<FrameLog> news = new ArrayList<>();
  private final Map<StreamLoop, List<LoopFollowers>> raised = new HashMap<>();

  boolean isEmpty() {
    return feeds.isEmpty();
  }

  /** The chain, for one more who follows it until {@link #release}. */
  FrameLog follow(Feed feed) {
    FrameLog chain = feeds.get(feed);
    if (chain == null) {
      ChangeEncoder events =
          encoded.computeIfAbsent(
              feed.projection(), projection -> new ChangeEncoder(feed.encoder()));
      events.chains++;
      chain = FrameLog.live(feed, events);
      feeds.put(feed, chain);
      index.add(feed.selection(), chain);
    }
    chain.followers++;
    return chain;
  }

  void release(Feed feed) {
    FrameLog left = feeds.get(feed);
    if (left != null && --left.followers == 0) {
      feeds.remove(feed);
      index.remove(left);
      if (--left.encoded().chains == 0) {
        encoded.remove(feed.projection()); // it holds the last change, and clients choose pointers
      }
    }
  }

  /** Leads what a revision changed to the feeds that select it. */
  void append(Revision before, Revision revision, List<Change> changes) {
    for (Change change : changes) {
      index.match(
          change.old(),
          change.now(),
          (chain, was, is) -> {
            if (chain.add(revision, changes, change, was, is)) {
              concerned.add(chain);
            }
          });
    }
    Position position = Position.of(revision);
    for (FrameLog chain : concerned) {
      chain.append(before, revision, position);
      tell(chain);
    }
    concerned.clear();
  }

  /** What follows is not known one by one: each has to see for itself. */
  void cut(Revision before) {
    concerned.clear(); // of a revision that could not be routed
    for (FrameLog chain : feeds.values()) {
      chain.cut(before);
      tell(chain);
    }
  }

  private void tell(FrameLog chain) {
    if (!chain.news) {
      chain.news = true;
      news.add(chain);
    }
  }

  /**
   * Whoever walks the groups of a feed with something new is told once, and each owner of all of
   * its groups at once: a queue between threads for each of them would cost more than the turn.
   */
  void raise() {
    for (FrameLog chain : news) {
      chain.news = false;
      for (LoopFollowers group : chain.feed().groups()) {
        if (group.raise()) {
          raised.computeIfAbsent(group.owner(), owner -> new ArrayList<>()).add(group);
        }
      }
    }
    news.clear();
    raised.forEach(StreamLoop::walk);
    raised.clear();
  }
}
