package io.watchgate.feed;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The growing end of a feed's frames: of the live ones, or of those that a replay makes. Used by
 * one thread, the router's or the replay's.
 */
final class Chain {
  private final Feed feed;
  private final ChangeEvents encoded;
  private Node tail;

  /** What the revision that is looked at gives. */
  private @Nullable Slices pending;

  private int count;
  private int whole;

  /** Whether there are steps that its followers were not called for: the router's. */
  boolean news;

  /** Who follows it; counted by {@link RoutedFeeds}. */
  int followers;

  private Chain(Feed feed, ChangeEvents encoded, int holds) {
    this.feed = feed;
    this.encoded = encoded;
    this.tail = new Node(holds);
  }

  /** One that lets go of what its followers have passed. */
  static Chain live(Feed feed, ChangeEvents encoded) {
    return new Chain(feed, encoded, 1);
  }

  /** One that is kept by those who have a place in it, and is soon forgotten as a whole. */
  static Chain replayed(Feed feed, ChangeEvents encoded) {
    return new Chain(feed, encoded, 2);
  }

  Feed feed() {
    return feed;
  }

  /** What makes its events. */
  ChangeEvents encoded() {
    return encoded;
  }

  /** Where whoever has sent everything stands. */
  Node tail() {
    return tail;
  }

  /**
   * A change that the feed selects.
   *
   * @param all the changes of the revision
   * @param before whether it selected the object before
   * @param after whether it selects the object now
   * @return whether this is the first of its revision
   */
  boolean add(Revision revision, List<Change> all, Change change, boolean before, boolean after) {
    Encoded added = encoded.event(revision, all, change, before, after);
    Slices event = added.event();
    whole = Math.max(whole, added.whole());
    Slices others = pending;
    pending =
        others == null
            ? event
            : new Slices.Builder(others.count() + event.count()).add(others).add(event).build();
    count++;
    return others == null;
  }

  /** All of the revision was added. */
  void append(Revision before, Revision revision, Position position) {
    Slices events = pending;
    if (events == null) {
      return;
    }
    byte[] end = Responses.position(feed.tokens(), position);
    Slices response = new Slices.Builder(events.count() + 1).add(events).add(end).build();
    Node after = new Node(2); // for the place before and for the end of the chain
    pending = null;
    advance(
        new Step.Frame(
            before, events, end, response, count, whole, position, revision.receivedNanos(), after),
        after);
  }

  /** The chain leads no further; what is added from now on cannot be reached from before. */
  void cut(Revision before) {
    Node after = new Node(2);
    advance(new Step.Cut(before, after), after);
  }

  /** What follows stands in another chain. */
  void link(Node to) {
    advance(new Step.Link(to), new Node(1));
  }

  private void advance(Step step, Node after) {
    Node place = tail;
    tail = after;
    pending = null;
    count = 0;
    whole = 0;
    place.lead(step);
    place.release();
  }
}
