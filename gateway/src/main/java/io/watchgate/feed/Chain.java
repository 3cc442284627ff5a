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
  private Node tail = new Node();

  /** What the revision that is looked at gives. */
  private @Nullable Slices pending;

  private int count;
  private int whole;

  Chain(Feed feed, ChangeEvents encoded) {
    this.feed = feed;
    this.encoded = encoded;
  }

  Feed feed() {
    return feed;
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
    Slices end = Responses.position(feed.tokens(), position);
    Slices response = new Slices.Builder(events.count() + 1).add(events).add(end).build();
    Node after = new Node();
    Node place = tail;
    tail = after;
    pending = null;
    place.lead(
        new Step.Frame(
            before,
            events,
            end,
            response,
            count,
            whole,
            position,
            revision.receivedNanos(),
            after));
    count = 0;
    whole = 0;
  }

  /** The chain leads no further; what is added from now on cannot be reached from before. */
  void cut(Revision before) {
    end(new Step.Cut(before));
  }

  /** What follows stands in another chain. */
  void link(Node to) {
    end(new Step.Link(to));
  }

  private void end(Step step) {
    Node place = tail;
    tail = new Node();
    pending = null;
    count = 0;
    whole = 0;
    place.lead(step);
  }
}
