package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ChangeEncoder;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.Position;
import io.watchgate.select.SelectionIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Append end of a feed's list of frames: of the live log, or of a log that a replay builds. Used by
 * one thread, that of the router or of the replay.
 */
class FrameLog {
  private final Feed feed;
  private final ChangeEncoder encoder;
  private FrameNode tail;

  /** Encoded events of the revision that is being added. */
  private @Nullable ByteSlices pending;

  private int count;
  private int requiredReceiveLimit;
  private boolean hasFailed;

  /** True if there are entries that the followers were not notified of; used by the router. */
  boolean hasUnannouncedEntries;

  /** Number of followers; maintained by {@link ChangeRouter}. */
  int followerCount;

  /**
   * @param references initial references to the first node: 1 for a log that releases the nodes
   *     that all of its followers have passed; 2 for a log without releases, because it is
   *     short-lived, and the streams that read its nodes keep them reachable
   */
  FrameLog(Feed feed, ChangeEncoder encoder, int references) {
    this.feed = feed;
    this.encoder = encoder;
    this.tail = new FrameNode(references);
  }

  /** Creates a log that releases the nodes that all of its followers have passed. */
  FrameLog(Feed feed, ChangeEncoder encoder) {
    this(feed, encoder, 1);
  }

  Feed feed() {
    return feed;
  }

  /** Returns the encoder of its events. */
  ChangeEncoder encoder() {
    return encoder;
  }

  /** Returns the last node, at which a stream has sent everything. */
  FrameNode tail() {
    return tail;
  }

  /** Handler of a change that cannot be encoded. */
  interface FailureHandler<L extends FrameLog> {
    /** Handler that passes the failure on, so that the whole revision fails. */
    FailureHandler<FrameLog> THROW =
        (log, failure) -> {
          throw failure;
        };

    void failed(L log, RuntimeException failure);
  }

  /**
   * Appends the changes of a revision to the logs whose feeds select them: one frame to each.
   *
   * @param index the logs by the selections of their feeds
   * @param affected empty list, to which the logs with a frame are added
   * @param failures called before a log is marked as failed; if it returns, the log gets no frame,
   *     and must be removed from the index afterwards
   */
  static <L extends FrameLog> void append(
      SelectionIndex<L> index,
      List<L> affected,
      Revision before,
      Revision revision,
      List<Change> changes,
      FailureHandler<? super L> failures) {
    for (Change change : changes) {
      index.match(
          change.old(),
          change.now(),
          (log, was, is) -> {
            try {
              if (log.add(revision, changes, change, was, is)) {
                affected.add(log);
              }
            } catch (RuntimeException e) {
              failures.failed(log, e);
              log.fail();
            }
          });
    }
    Position position = Position.of(revision);
    for (FrameLog log : affected) {
      log.append(before, revision, position);
    }
  }

  /**
   * Adds a change that the feed selects to the pending frame.
   *
   * @param all the changes of the revision
   * @param before whether the feed selected the object before
   * @param after whether the feed selects the object now
   * @return whether this is the first change of its revision
   */
  final boolean add(
      Revision revision, List<Change> all, Change change, boolean before, boolean after) {
    if (hasFailed) {
      return false;
    }
    EventEncoder.EncodedEvent added = encoder.event(revision, all, change, before, after);
    ByteSlices event = added.event();
    requiredReceiveLimit = Math.max(requiredReceiveLimit, added.requiredReceiveLimit());
    ByteSlices others = pending;
    pending =
        others == null
            ? event
            : new ByteSlices.Builder(others.count() + event.count()).add(others).add(event).build();
    count++;
    return others == null;
  }

  final void fail() {
    hasFailed = true;
    discardPending();
  }

  /** Returns whether a change could not be encoded: streams in this log cannot continue. */
  boolean hasFailed() {
    return hasFailed;
  }

  private void discardPending() {
    pending = null;
    count = 0;
    requiredReceiveLimit = 0;
  }

  /** Appends the pending frame, if there is one. */
  private void append(Revision before, Revision revision, Position position) {
    ByteSlices events = pending;
    if (events == null) {
      return;
    }
    byte[] end = feed.format().position(position);
    ByteSlices response = new ByteSlices.Builder(events.count() + 1).add(events).add(end).build();
    FrameNode after = new FrameNode(2); // for the entry before it and for the tail of this log
    advance(
        new LogEntry.Frame(
            before,
            events,
            end,
            response,
            count,
            requiredReceiveLimit,
            position,
            revision.receivedNanos(),
            after),
        after);
  }

  /** Appends a gap: entries added later cannot be reached from earlier nodes. */
  void appendGap(Revision before) {
    FrameNode after = new FrameNode(2);
    advance(new LogEntry.Gap(before, after), after);
  }

  /** Appends a splice: the following entries are in another log. */
  void appendSplice(FrameNode to) {
    advance(new LogEntry.Splice(to), new FrameNode(1));
  }

  private void advance(LogEntry entry, FrameNode after) {
    FrameNode node = tail;
    tail = after;
    discardPending();
    node.setNext(entry);
    node.release();
  }
}
