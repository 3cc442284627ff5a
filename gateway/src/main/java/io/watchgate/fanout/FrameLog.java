package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The growing end of a feed's frames: of the live ones, or of those that a replay makes. Used by
 * one thread, the router's or the replay's.
 */
final class FrameLog {
  private final Feed feed;
  private final ChangeEncoder encoded;
  private FrameNode tail;

  /** What the revision that is looked at gives. */
  private @Nullable ByteSlices pending;

  private int count;
  private int whole;

  /** Whether there are steps that its followers were not called for: the router's. */
  boolean news;

  /** Who follows it; counted by {@link FeedIndex}. */
  int followers;

  private FrameLog(Feed feed, ChangeEncoder encoded, int holds) {
    this.feed = feed;
    this.encoded = encoded;
    this.tail = new FrameNode(holds);
  }

  /** One that lets go of what its followers have passed. */
  static FrameLog live(Feed feed, ChangeEncoder encoded) {
    return new FrameLog(feed, encoded, 1);
  }

  /** One that is kept by those who have a place in it, and is soon forgotten as a whole. */
  static FrameLog replayed(Feed feed, ChangeEncoder encoded) {
    return new FrameLog(feed, encoded, 2);
  }

  Feed feed() {
    return feed;
  }

  /** What makes its events. */
  ChangeEncoder encoded() {
    return encoded;
  }

  /** Where whoever has sent everything stands. */
  FrameNode tail() {
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
    EncodedEvent added = encoded.event(revision, all, change, before, after);
    ByteSlices event = added.event();
    whole = Math.max(whole, added.whole());
    ByteSlices others = pending;
    pending =
        others == null
            ? event
            : new ByteSlices.Builder(others.count() + event.count()).add(others).add(event).build();
    count++;
    return others == null;
  }

  /** All of the revision was added. */
  void append(Revision before, Revision revision, Position position) {
    ByteSlices events = pending;
    if (events == null) {
      return;
    }
    byte[] end = ResponseEncoder.position(feed.tokens(), position);
    ByteSlices response = new ByteSlices.Builder(events.count() + 1).add(events).add(end).build();
    FrameNode after = new FrameNode(2); // for the place before and for the end of the chain
    pending = null;
    advance(
        new LogEntry.Frame(
            before, events, end, response, count, whole, position, revision.receivedNanos(), after),
        after);
  }

  /** The chain leads no further; what is added from now on cannot be reached from before. */
  void cut(Revision before) {
    FrameNode after = new FrameNode(2);
    advance(new LogEntry.Gap(before, after), after);
  }

  /** What follows stands in another chain. */
  void link(FrameNode to) {
    advance(new LogEntry.Splice(to), new FrameNode(1));
  }

  private void advance(LogEntry step, FrameNode after) {
    FrameNode place = tail;
    tail = after;
    pending = null;
    count = 0;
    whole = 0;
    place.lead(step);
    place.release();
  }
}
