package io.watchgate.feed;

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
final class RoutedFeeds {
  private final Map<Feed, Routed> feeds = new HashMap<>();
  private final Map<Projection, ChangeEvents> encoded = new HashMap<>();
  private final SelectionIndex<Routed> index = new SelectionIndex<>();
  private final List<Routed> touched = new ArrayList<>();

  private static final class Routed {
    final Chain chain;
    int followers;
    boolean touched;

    Routed(Chain chain) {
      this.chain = chain;
    }
  }

  boolean isEmpty() {
    return feeds.isEmpty();
  }

  /** The chain, for one more who follows it until {@link #release}. */
  Chain follow(Feed feed) {
    Routed routed = feeds.get(feed);
    if (routed == null) {
      routed =
          new Routed(
              new Chain(
                  feed,
                  encoded.computeIfAbsent(
                      feed.projection(), projection -> new ChangeEvents(feed.encoder()))));
      feeds.put(feed, routed);
      index.add(feed.selection(), routed);
    }
    routed.followers++;
    return routed.chain;
  }

  void release(Feed feed) {
    Routed left = feeds.get(feed);
    if (left != null && --left.followers == 0) {
      feeds.remove(feed);
      index.remove(feed.selection(), left);
      if (feeds.isEmpty()) {
        encoded.clear(); // they hold the last change
      }
    }
  }

  /** Leads what a revision changed to the feeds that select it. */
  void append(Revision before, Revision revision, List<Change> changes) {
    List<Routed> concerned = new ArrayList<>();
    for (Change change : changes) {
      index.match(
          change.old(),
          change.now(),
          (feed, was, is) -> {
            if (feed.chain.add(revision, changes, change, was, is)) {
              concerned.add(feed);
            }
          });
    }
    Position position = Position.of(revision);
    for (Routed feed : concerned) {
      feed.chain.append(before, revision, position);
      touch(feed);
    }
  }

  /** What follows is not known one by one: each has to see for itself. */
  void cut(Revision before) {
    for (Routed feed : feeds.values()) {
      feed.chain.cut(before);
      touch(feed);
    }
  }

  private void touch(Routed feed) {
    if (!feed.touched) {
      feed.touched = true;
      touched.add(feed);
    }
  }

  /** Whoever walks the groups of a feed with something new is told once. */
  void raise() {
    for (Routed feed : touched) {
      feed.touched = false;
      for (Group group : feed.chain.feed().groups()) {
        group.raise();
      }
    }
    touched.clear();
  }
}
