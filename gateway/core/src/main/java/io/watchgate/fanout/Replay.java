package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.encode.ChangeEncoder;
import io.watchgate.encode.EventEncoder;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over history for all streams that must catch up. For each of their feeds it builds the
 * frames that the streams missed, and links them to the node that was the end of the feed's log
 * when they asked. Each stream then starts at the node of its base and follows the log like all
 * others. Used by one thread.
 */
final class Replay {
  private static final Logger log = LoggerFactory.getLogger(Replay.class);

  private static final ReplaySettings LIMITS = ReplaySettings.DEFAULTS;

  private final List<Request> requests;
  private final SelectionIndex<Piece> index = new SelectionIndex<>();
  private final Map<EventEncoder, ChangeEncoder> encoders = new HashMap<>();

  /**
   * Pieces by the node that they lead to. Requests of a feed without frames between them have the
   * same node.
   */
  private final IdentityHashMap<FrameNode, Piece> pieces = new IdentityHashMap<>();

  /** Pieces that have not reached their nodes yet, ordered by the revision at which they do. */
  private final Queue<Piece> unfinished =
      new PriorityQueue<>(Comparator.comparingLong(p -> p.until));

  private int frames;

  /**
   * Request of one stream.
   *
   * @param base revision that was sent; not after {@code until}
   * @param until last routed revision at the time of the request
   * @param end end of the feed's log at that time; referenced for the stream
   */
  record Request(
      Feed feed, Revision base, Revision until, FrameNode end, ChangeRouter.Attachment answer) {}

  /** Log that grows until it reaches the feed's log. */
  private static final class Piece extends FrameLog {
    final FrameNode end;
    final long until;
    boolean isSpliced;

    Piece(Feed feed, ChangeEncoder encoder, FrameNode end, long until) {
      super(feed, encoder, 2);
      this.end = end;
      this.until = until;
    }
  }

  /**
   * Start node of one stream.
   *
   * @param piece piece of the node; null if the node is in none, because it has only a gap
   */
  private record Start(FrameNode node, @Nullable Piece piece) {
    boolean hasFailed() {
      return piece != null && piece.hasFailed();
    }
  }

  Replay(List<Request> requests) {
    this.requests =
        requests.stream().sorted(Comparator.comparingLong(r -> r.base().number())).toList();
  }

  /**
   * Builds the frames, then answers all requests. An event that cannot be encoded fails only its
   * own feed.
   */
  void run() {
    List<Start> starts = new ArrayList<>(requests.size());
    Revision at = requests.getFirst().base();
    while (true) {
      while (starts.size() < requests.size()
          && requests.get(starts.size()).base().number() == at.number()) {
        starts.add(startNode(requests.get(starts.size())));
      }
      spliceFinished(at);
      if (unfinished.isEmpty()) {
        if (starts.size() == requests.size()) {
          break;
        }
        at = requests.get(starts.size()).base();
        continue;
      }
      Revision next = at.next();
      List<Change> changes = next == null ? List.of() : next.changes(); // once: trimming empties it
      if (next == null || !isReplayable(next, changes) || frames >= LIMITS.maxFrames()) {
        appendGaps(at);
      } else {
        appendRevision(at, next, changes);
        at = next;
      }
    }
    for (int i = 0; i < starts.size(); i++) {
      Request request = requests.get(i);
      Start start = starts.get(i);
      if (start.hasFailed()) {
        fail(request);
      } else {
        request.answer().attached(new JoinPoint(start.node(), request.end()));
      }
    }
  }

  private Start startNode(Request request) {
    if (frames >= LIMITS.maxFrames()) {
      return new Start(FrameNode.gap(request.base()), null);
    }
    Piece piece = pieces.get(request.end());
    if (piece == null) {
      Feed feed = request.feed();
      piece =
          new Piece(
              feed,
              encoders.computeIfAbsent(feed.encoder(), ChangeEncoder::new),
              request.end(),
              request.until().number());
      pieces.put(request.end(), piece);
      unfinished.add(piece);
      index.add(feed.selection(), piece);
    }
    if (piece.isSpliced && request.base().number() < piece.until) {
      // The base was skipped: history lost it, and older changes were fetched and put before the
      // rest. The changes in between are in no frame.
      return new Start(FrameNode.gap(request.base()), null);
    }
    return new Start(piece.isSpliced ? piece.end : piece.tail(), piece);
  }

  /** Links the pieces that have reached their nodes. */
  private void spliceFinished(Revision at) {
    for (Piece piece = unfinished.peek();
        piece != null && piece.until <= at.number();
        piece = unfinished.peek()) {
      unfinished.remove();
      index.remove(piece);
      piece.appendSplice(piece.end);
      piece.isSpliced = true;
    }
  }

  /** Returns whether the single changes of a revision are known. */
  private static boolean isReplayable(Revision revision, List<Change> changes) {
    return switch (revision.kind()) {
      case PROGRESS -> true;
      case CHANGES -> !changes.isEmpty(); // empty once trimmed
      case RELIST, HISTORY_LOST -> false;
    };
  }

  private void appendGaps(Revision before) {
    for (Piece piece : unfinished) {
      index.remove(piece);
      piece.appendGap(before);
      pieces.remove(piece.end);
    }
    unfinished.clear();
  }

  private void appendRevision(Revision before, Revision revision, List<Change> changes) {
    List<Piece> changed = new ArrayList<>();
    List<Piece> failed = new ArrayList<>();
    FrameLog.append(
        index,
        changed,
        before,
        revision,
        changes,
        (piece, e) -> {
          log.error("version {} cannot be replayed to a feed", revision.version(), e);
          failed.add(piece);
        });
    for (Piece piece : changed) {
      if (!piece.hasFailed()) {
        frames++;
      }
    }
    failed.forEach(this::drop);
  }

  private void drop(Piece piece) {
    unfinished.remove(piece);
    index.remove(piece);
    pieces.remove(piece.end);
  }

  /** Fails all requests: none of them has been answered yet. */
  void fail() {
    requests.forEach(Replay::fail);
  }

  private static void fail(Request request) {
    request.end().release();
    request.answer().failed();
  }
}
