package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Feeds of one cache that have followers, each with its frame log, and the index that finds the
 * feeds affected by a change. Used by the router only.
 */
final class FeedIndex {
  private final Map<Feed, FrameLog> feeds = new HashMap<>();
  private final Map<ObjectProjection, EventEncoder.ChangeEncoder> encoded = new HashMap<>();

  /** The index refers to the logs directly, so that a change touches as few objects as possible. */
  private final SelectionIndex<FrameLog> index = new SelectionIndex<>();

  private final List<FrameLog> affectedLogs = new ArrayList<>();
  private final List<FrameLog> changedLogs = new ArrayList<>();
  private final Map<StreamLoop, List<LoopFollowers>> raised = new HashMap<>();

  boolean isEmpty() {
    return feeds.isEmpty();
  }

  /** Returns the log of a feed and counts one more follower, until {@link #release}. */
  FrameLog follow(Feed feed) {
    FrameLog chain = feeds.get(feed);
    if (chain == null) {
      EventEncoder.ChangeEncoder events =
          encoded.computeIfAbsent(
              feed.projection(), projection -> new EventEncoder.ChangeEncoder(feed.encoder()));
      events.logCount++;
      chain = new FrameLog(feed, events);
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
      if (--left.encoder().logCount == 0) {
        encoded.remove(feed.projection()); // references the last change; clients choose pointers
      }
    }
  }

  /** Appends the changes of a revision to the feeds that select them. */
  void append(Revision before, Revision revision, List<Change> changes) {
    FrameLog.append(index, affectedLogs, before, revision, changes);
    for (FrameLog chain : affectedLogs) {
      markChanged(chain);
    }
    affectedLogs.clear();
  }

  /** Adds a gap to every log: the single changes are not known, so each stream must catch up. */
  void appendGaps(Revision before) {
    affectedLogs.clear(); // left over from a revision that could not be routed
    for (FrameLog chain : feeds.values()) {
      chain.appendGap(before);
      markChanged(chain);
    }
  }

  private void markChanged(FrameLog chain) {
    if (!chain.hasUnannouncedEntries) {
      chain.hasUnannouncedEntries = true;
      changedLogs.add(chain);
    }
  }

  /**
   * Notifies the followers of all feeds with new entries. Each event loop is notified once, for all
   * of its followers: a queue between threads for each of them would cost more than sending.
   */
  void notifyFollowers() {
    for (FrameLog chain : changedLogs) {
      chain.hasUnannouncedEntries = false;
      for (LoopFollowers group : chain.feed().followers()) {
        if (group.raise()) {
          raised.computeIfAbsent(group.loop(), owner -> new ArrayList<>()).add(group);
        }
      }
    }
    changedLogs.clear();
    raised.forEach(StreamLoop::deliver);
    raised.clear();
  }
}
