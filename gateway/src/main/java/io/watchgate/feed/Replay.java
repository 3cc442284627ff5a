package io.watchgate.feed;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * One pass over history for all who have to catch up: makes, for each of their feeds, the frames
 * that they have missed, and joins them to where the feed was when they asked. Each then stands in
 * the chain at the place of its base and follows it like everybody. Used by one thread.
 */
final class Replay {
  /**
   * Frames that one pass makes, at about 300 bytes each; where they end, whoever came that far asks
   * again.
   */
  private static final int FRAMES = 65_536;

  private final List<Request> requests;
  private final SelectionIndex<Piece> index = new SelectionIndex<>();
  private final Map<Projection, ChangeEvents> encoded = new HashMap<>();

  /** By where they lead to: equal for requests of a feed between which it had no frame. */
  private final IdentityHashMap<Node, Piece> pieces = new IdentityHashMap<>();

  /** Those that have not met theirs yet, first whoever does first. */
  private final Queue<Piece> growing = new PriorityQueue<>(Comparator.comparingLong(p -> p.until));

  private int frames;

  /**
   * @param base what was sent; not after {@code until}
   * @param until what had been routed when it was asked for
   * @param end where the feed's chain ended then; held for whoever asked
   */
  record Request(Feed feed, Revision base, Revision until, Node end, Router.Attachment answer) {}

  /** A chain that grows until it meets the feed's. */
  private static final class Piece {
    final Chain chain;
    final Node end;
    final long until;
    boolean met;

    Piece(Chain chain, Node end, long until) {
      this.chain = chain;
      this.end = end;
      this.until = until;
    }
  }

  Replay(List<Request> requests) {
    this.requests =
        requests.stream().sorted(Comparator.comparingLong(r -> r.base().number())).toList();
  }

  /** Makes the frames, then answers everybody. */
  void run() {
    List<Node> places = new ArrayList<>(requests.size());
    Revision at = requests.getFirst().base();
    while (true) {
      while (places.size() < requests.size()
          && requests.get(places.size()).base().number() == at.number()) {
        places.add(begin(requests.get(places.size())));
      }
      finish(at);
      if (growing.isEmpty()) {
        if (places.size() == requests.size()) {
          break;
        }
        at = requests.get(places.size()).base();
        continue;
      }
      Revision next = at.next();
      List<Change> changes = next == null ? List.of() : next.changes(); // once: trimming empties it
      if (next == null || !leads(next, changes) || frames >= FRAMES) {
        cut(at);
      } else {
        step(at, next, changes);
        at = next;
      }
    }
    for (int i = 0; i < places.size(); i++) {
      Request request = requests.get(i);
      request.answer().attached(new Entrance(places.get(i), request.end()));
    }
  }

  /** Where whoever asked stands. */
  private Node begin(Request request) {
    if (frames >= FRAMES) {
      return Node.cut(request.base());
    }
    Piece piece = pieces.get(request.end());
    if (piece == null) {
      Feed feed = request.feed();
      Chain chain =
          Chain.replayed(
              feed,
              encoded.computeIfAbsent(
                  feed.projection(), projection -> new ChangeEvents(feed.encoder())));
      piece = new Piece(chain, request.end(), request.until().number());
      pieces.put(request.end(), piece);
      growing.add(piece);
      index.add(feed.selection(), piece);
    }
    return piece.met ? piece.end : piece.chain.tail();
  }

  /** Those that have come as far as they were to. */
  private void finish(Revision at) {
    for (Piece piece = growing.peek();
        piece != null && piece.until <= at.number();
        piece = growing.peek()) {
      growing.remove();
      index.remove(piece);
      piece.chain.link(piece.end);
      piece.met = true;
    }
  }

  /** Whether the changes of a revision are known one by one. */
  private static boolean leads(Revision revision, List<Change> changes) {
    return switch (revision.kind()) {
      case PROGRESS -> true;
      case CHANGES -> !changes.isEmpty(); // empty once trimmed
      case RELIST, HISTORY_LOST -> false;
    };
  }

  private void cut(Revision before) {
    for (Piece piece : growing) {
      index.remove(piece);
      piece.chain.cut(before);
      pieces.remove(piece.end);
    }
    growing.clear();
  }

  private void step(Revision before, Revision revision, List<Change> changes) {
    List<Piece> concerned = new ArrayList<>();
    for (Change change : changes) {
      index.match(
          change.old(),
          change.now(),
          (piece, was, is) -> {
            if (piece.chain.add(revision, changes, change, was, is)) {
              concerned.add(piece);
            }
          });
    }
    if (!concerned.isEmpty()) {
      Position position = Position.of(revision);
      concerned.forEach(piece -> piece.chain.append(before, revision, position));
      frames += concerned.size();
    }
  }

  /** It failed: nobody has been answered yet. */
  void fail() {
    for (Request request : requests) {
      request.end().release();
      request.answer().failed();
    }
  }
}
