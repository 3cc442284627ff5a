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
    FrameLog frameLog = feeds.get(feed);
    if (frameLog == null) {
      EventEncoder.ChangeEncoder events =
          encoded.computeIfAbsent(
              feed.projection(), projection -> new EventEncoder.ChangeEncoder(feed.encoder()));
      events.logCount++;
      frameLog = new FrameLog(feed, events);
      feeds.put(feed, frameLog);
      index.add(feed.selection(), frameLog);
    }
    frameLog.followers++;
    return frameLog;
  }

  void release(Feed feed) {
    FrameLog frameLog = feeds.get(feed);
    if (frameLog != null && --frameLog.followers == 0) {
      feeds.remove(feed);
      index.remove(frameLog);
      if (--frameLog.encoder().logCount == 0) {
        encoded.remove(feed.projection()); // references the last change; clients choose pointers
      }
    }
  }

  /** Appends the changes of a revision to the feeds that select them. */
  void append(Revision before, Revision revision, List<Change> changes) {
    FrameLog.append(index, affectedLogs, before, revision, changes);
    for (FrameLog frameLog : affectedLogs) {
      markChanged(frameLog);
    }
    affectedLogs.clear();
  }

  /** Adds a gap to every log: the single changes are not known, so each stream must catch up. */
  void appendGaps(Revision before) {
    affectedLogs.clear(); // left over from a revision that could not be routed
    for (FrameLog frameLog : feeds.values()) {
      frameLog.appendGap(before);
      markChanged(frameLog);
    }
  }

  private void markChanged(FrameLog frameLog) {
    if (!frameLog.hasUnannouncedEntries) {
      frameLog.hasUnannouncedEntries = true;
      changedLogs.add(frameLog);
    }
  }

  /**
   * Notifies the followers of all feeds with new entries. Each event loop is notified once, for all
   * of its followers: a queue between threads for each of them would cost more than sending.
   */
  void notifyFollowers() {
    for (FrameLog frameLog : changedLogs) {
      frameLog.hasUnannouncedEntries = false;
      for (LoopFollowers followers : frameLog.feed().followers()) {
        if (followers.raise()) {
          raised.computeIfAbsent(followers.loop(), loop -> new ArrayList<>()).add(followers);
        }
      }
    }
    changedLogs.clear();
    raised.forEach(StreamLoop::deliver);
    raised.clear();
  }
}
