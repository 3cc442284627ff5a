package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads the changes of one cache to the feeds that select them. It runs on a pool, once at a time;
 * index and chains are its own and need no lock. What others want of it comes through a mailbox,
 * which it empties only when it has routed all there is: so whoever joins is at or behind the
 * router, never ahead.
 */
final class ChangeRouter {
  private static final Logger log = LoggerFactory.getLogger(ChangeRouter.class);

  /** Revisions between two looks at who is to be told: a backlog reaches the streams in pieces. */
  private static final int REVISIONS = 64;

  /** Who is so few changes behind is brought up at once; a pass of the pool is for the others. */
  private static final int AT_ONCE = 128;

  /** Of one history's bytes: between two there is so little that a replay goes on from there. */
  private static final int CHECKPOINTS = 16;

  private final WatchCache cache;
  private final PinnedRevisions roots;
  private final long apart;
  private final ReplayBatcher replays;
  private final ScanBatcher searches;
  private final SerialTask task;
  private final Runnable listener;
  private final Queue<Message> mailbox = new ConcurrentLinkedQueue<>();
  private final FeedIndex feeds = new FeedIndex();
  private final List<Message> taken = new ArrayList<>();
  private @Nullable Revision at;
  private boolean endIsTold;

  /** No stream is left; one that has ended may hold this for long, and with it no state. */
  private volatile boolean closed;

  private volatile @Nullable Routed routed;
  private volatile @Nullable Revision checkpoint;

  /** Where it stands, for the cache to keep history from there; null without followers. */
  private volatile @Nullable Revision standing;

  /**
   * How far the router has come.
   *
   * @param number of the revision
   * @param superseded the bytes that were superseded until there
   * @param verifiedAt when the apiserver had last proved up to date what is routed; null if never
   */
  record Routed(Position position, long number, long superseded, @Nullable Instant verifiedAt) {}

  private sealed interface Message {
    record Attach(Feed feed, Revision base, Attachment answer) implements Message {}

    record Detach(Feed feed) implements Message {}
  }

  /** What whoever asked to follow a feed is told, on any thread. */
  interface Attachment {
    /** From there on, the feed's chain leads through all that came after the base. */
    void attached(JoinPoint entrance);

    /** It could not be done: the gateway itself failed. */
    void failed();
  }

  /**
   * @param roots where those who lag stand
   */
  ChangeRouter(
      WatchCache cache,
      Executor pool,
      ReplayBatcher replays,
      ScanBatcher searches,
      PinnedRevisions roots) {
    this.cache = cache;
    this.roots = roots;
    this.apart = cache.historyLimit() / CHECKPOINTS;
    this.replays = replays;
    this.searches = searches;
    this.task = new SerialTask(pool, this::work);
    this.listener = task::ask;
  }

  // ---- from any thread

  void open() {
    cache.setFollower(() -> standing);
    cache.setPins(roots);
    cache.addListener(listener);
    task.ask();
  }

  void close() {
    cache.setFollower(null);
    cache.setPins(HeapBudget.Pins.NONE);
    cache.removeListener(listener);
    closed = true;
    task.ask();
  }

  /**
   * What has been routed: every frame up to here stands in its chain. Null before the first list.
   * To send a bookmark, read this first, then send what the chain has, then the bookmark.
   */
  @Nullable Routed routed() {
    return routed;
  }

  /**
   * Asks to follow a feed from a revision on. Whoever gets the answer calls {@link #detach} once,
   * after {@code attached} or never.
   */
  void attach(Feed feed, Revision base, Attachment answer) {
    mailbox.add(new Message.Attach(feed, base, answer));
    task.ask();
  }

  /**
   * Where those who fell out of history catch up to: the same for all who do so at about the same
   * time, so that they stand on few states afterwards. Never far from the head.
   */
  @Nullable Revision checkpoint() {
    return checkpoint;
  }

  PinnedRevisions roots() {
    return roots;
  }

  ScanBatcher searches() {
    return searches;
  }

  RouterRegistry.Measured measured() {
    Revision head = cache.head();
    Routed done = routed;
    return new RouterRegistry.Measured(
        cache,
        roots.count(),
        roots.bytes(),
        head == null || done == null ? 0 : head.superseded() - done.superseded());
  }

  void detach(Feed feed) {
    mailbox.add(new Message.Detach(feed));
    task.ask();
  }

  // ---- on the pool

  private boolean work() {
    if (closed) {
      at = null;
      checkpoint = null;
      standing = null;
      return false;
    }
    for (Message next = mailbox.poll(); next != null; next = mailbox.poll()) {
      taken.add(next); // before routing: its base is not ahead of what is routed then
    }
    Routed last = routed;
    Instant verified = cache.verifiedAt(); // before the head: that of then is at least as new
    boolean more = route();
    Revision now = at;
    if (now != null && (last == null || now.number() != last.number())) {
      Instant known = last == null ? null : last.verifiedAt();
      routed =
          new Routed(Position.of(now), now.number(), now.superseded(), more ? known : verified);
    }
    mark(now);
    if (!more && now != null) {
      taken.forEach(message -> handle(message, now));
      taken.clear();
      tellEnd(now);
    }
    standing = feeds.isEmpty() ? null : now;
    feeds.raise();
    return more;
  }

  /** A new checkpoint where the last one has become old. */
  private void mark(@Nullable Revision now) {
    Revision last = checkpoint;
    if (now != null
        && (last == null
            || last.trimmed()
            || !now.isOfTheHistoryOf(last)
            || now.superseded() - last.superseded() > apart)) {
      checkpoint = now;
    }
  }

  /** Leads a bounded number of revisions to the feeds. Returns whether there are more. */
  private boolean route() {
    Revision from = at;
    if (from == null || feeds.isEmpty()) {
      at = newest();
      return false;
    }
    for (int i = 0; i < REVISIONS; i++) {
      Revision next = from.next();
      if (next == null && !from.trimmed()) {
        return false;
      }
      if (next == null) { // history went on without us: each has to see for itself
        feeds.cut(from);
        next = newest();
      } else {
        lead(from, next);
      }
      from = next == null ? from : next;
      at = from;
    }
    return from.next() != null || from.trimmed();
  }

  /** The head, or what is about to be: whoever joins may have seen it already. */
  private @Nullable Revision newest() {
    Revision head = cache.head();
    Revision next = head == null ? null : head.next();
    return next == null ? head : next;
  }

  private void lead(Revision from, Revision next) {
    try {
      switch (next.kind()) {
        case PROGRESS -> {}
        case RELIST, HISTORY_LOST -> feeds.cut(from);
        case CHANGES -> changes(from, next);
      }
    } catch (RuntimeException e) {
      log.error("version {} of {} could not be routed", next.version(), name(), e);
      feeds.cut(from); // whoever follows comes upon it alone, and fails alone
    }
  }

  private void changes(Revision from, Revision revision) {
    List<Change> changes = revision.changes();
    if (changes.isEmpty()) { // trimmed since we saw it
      feeds.cut(from);
      return;
    }
    feeds.append(from, revision, changes);
  }

  /** Nothing will follow any more: each goes on to where the cache says why. */
  private void tellEnd(Revision last) {
    if (!endIsTold && cache.upstream().phase().isEnd()) {
      endIsTold = true;
      feeds.cut(last);
    }
  }

  private void handle(Message message, Revision now) {
    switch (message) {
      case Message.Attach(Feed feed, Revision base, Attachment answer) -> {
        try {
          attach(feed, base, answer, now);
        } catch (RuntimeException e) {
          log.error("the changes of {} since {} could not be replayed", name(), base.version(), e);
          feeds.release(feed);
          answer.failed();
        }
      }
      case Message.Detach(Feed feed) -> feeds.release(feed);
    }
  }

  private void attach(Feed feed, Revision base, Attachment answer, Revision now) {
    FrameLog chain = feeds.follow(feed);
    FrameNode end = endIsTold ? FrameNode.cut(now) : chain.tail();
    end.hold();
    if (base.number() == now.number()) {
      answer.attached(new JoinPoint(end, end));
      return;
    }
    Replay.Request request = new Replay.Request(feed, base, now, end, new Replayed(feed, answer));
    if (now.events() - base.events() <= AT_ONCE && now.number() - base.number() <= 8 * AT_ONCE) {
      try {
        new Replay(List.of(request)).run();
      } catch (RuntimeException e) {
        end.release();
        throw e;
      }
    } else {
      replays.add(request);
    }
  }

  /** Who could not be led to the feed does not follow it. */
  private final class Replayed implements Attachment {
    private final Feed feed;
    private final Attachment answer;

    Replayed(Feed feed, Attachment answer) {
      this.feed = feed;
      this.answer = answer;
    }

    @Override
    public void attached(JoinPoint entrance) {
      answer.attached(entrance);
    }

    @Override
    public void failed() {
      detach(feed);
      answer.failed();
    }
  }

  private String name() {
    return cache.definition().type().groupResource();
  }
}
