package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.encode.ChangeEncoder;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.Position;
import io.watchgate.select.SelectionIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Router of the changes of one cache to the feeds that select them. It runs on a pool, never twice
 * at a time. Index and frame logs belong to the router and need no lock. Other threads send it
 * messages through a mailbox. The router takes the queued messages, routes, and then handles the
 * messages. It handles the message of a joining stream only once the stream's base revision is
 * routed. So a base is never ahead of the router.
 */
final class ChangeRouter {
  private static final Logger log = LoggerFactory.getLogger(ChangeRouter.class);

  /**
   * Revisions per run before followers are notified, so that a backlog reaches the streams in
   * portions.
   */
  private static final int REVISIONS = 64;

  /**
   * Number of parts of the history's bytes, after each of which a new checkpoint is set. So the
   * checkpoint is recent, and streams that were sent a net effect up to it continue from there
   * before it is trimmed.
   */
  private static final int CHECKPOINTS = 16;

  private final WatchCache cache;
  private final PinnedRevisions pinnedRevisions;
  private final long checkpointBytes;
  private final ReplayBatcher replays;
  private final ScanBatcher scans;
  private final SerialTask task;
  private final Runnable listener;
  private final Queue<Message> mailbox = new ConcurrentLinkedQueue<>();

  /** Logs of the feeds that have followers. */
  private final Map<Feed, FrameLog> logs = new HashMap<>();

  private final Map<EventEncoder, ChangeEncoder> encoders = new HashMap<>();

  /** Number of frame logs that use each of the encoders. */
  private final Map<EventEncoder, Integer> logCounts = new HashMap<>();

  /** The index refers to the logs directly, so that a change touches as few objects as possible. */
  private final SelectionIndex<FrameLog> index = new SelectionIndex<>();

  private final List<FrameLog> affectedLogs = new ArrayList<>();
  private final List<FrameLog> changedLogs = new ArrayList<>();
  private final Map<LoopDeliveries, List<LoopFollowers>> marked = new HashMap<>();
  private final List<Message> taken = new ArrayList<>();
  private @Nullable Revision at;
  private boolean endAppended;

  /**
   * Set when no stream is left. An ended stream may reference the router for long, but no revision
   * then, not even by a message.
   */
  private volatile boolean closed;

  private volatile @Nullable RouterProgress routed;
  private volatile @Nullable Revision checkpoint;

  /** Revision of the router, from which the cache must keep history; null without followers. */
  private volatile @Nullable Revision retainedFrom;

  /**
   * Progress of the router.
   *
   * @param number number of the revision
   * @param superseded bytes superseded up to the revision
   * @param verified last proof that the routed state was current, which holds for later states,
   *     too; null if there was none
   */
  record RouterProgress(
      Position position, long number, long superseded, TimeSource.@Nullable Reading verified) {}

  private sealed interface Message {
    record Attach(Feed feed, Revision base, Attachment answer) implements Message {}

    record Detach(Feed feed) implements Message {}
  }

  /** Callback of a request to follow a feed; called on any thread. */
  interface Attachment {
    /** Delivers the join point, from which the log contains all changes after the base. */
    void attached(JoinPoint joinPoint);

    /** Reports that the gateway itself failed. */
    void failed();
  }

  /**
   * @param pinnedRevisions pinned revisions of the lagging streams
   */
  ChangeRouter(
      WatchCache cache,
      Executor pool,
      ReplayBatcher replays,
      ScanBatcher scans,
      PinnedRevisions pinnedRevisions) {
    this.cache = cache;
    this.pinnedRevisions = pinnedRevisions;
    this.checkpointBytes = cache.historyLimit() / CHECKPOINTS;
    this.replays = replays;
    this.scans = scans;
    this.task = new SerialTask(pool, this::work);
    this.listener = task::schedule;
  }

  // ---- from any thread

  void open() {
    cache.setConsumer(() -> retainedFrom);
    cache.setPins(pinnedRevisions);
    cache.addListener(listener);
    task.schedule();
  }

  void close() {
    cache.setConsumer(null);
    cache.setPins(HeapBudget.Pins.NONE);
    cache.removeListener(listener);
    closed = true;
    task.schedule();
  }

  /**
   * Returns the progress of the router: every frame up to it is in its log. Null before the first
   * list. To send a bookmark, read the progress first, then send the frames of the log, then the
   * bookmark.
   */
  @Nullable RouterProgress routed() {
    return routed;
  }

  /**
   * Requests to follow a feed from a revision. The caller calls {@link #detach} exactly once after
   * {@code attached}, and not after {@code failed}.
   */
  void attach(Feed feed, Revision base, Attachment answer) {
    mailbox.add(new Message.Attach(feed, base, answer));
    task.schedule();
  }

  /**
   * Returns the revision to which streams that fell out of history catch up. Streams that do so at
   * about the same time get the same revision, so that few revisions are pinned afterwards. It is
   * never far from the head.
   */
  @Nullable Revision checkpoint() {
    return checkpoint;
  }

  PinnedRevisions pinnedRevisions() {
    return pinnedRevisions;
  }

  ScanBatcher scans() {
    return scans;
  }

  /**
   * @param feeds number of feeds of the type
   */
  RouterRegistry.Measurement measurements(int feeds) {
    Revision head = cache.head();
    RouterProgress done = routed;
    return new RouterRegistry.Measurement(
        cache,
        feeds,
        pinnedRevisions.count(),
        pinnedRevisions.bytes(),
        head == null || done == null ? 0 : head.supersededBytes() - done.superseded());
  }

  void detach(Feed feed) {
    mailbox.add(new Message.Detach(feed));
    task.schedule();
  }

  // ---- on the pool

  private boolean work() {
    if (closed) {
      mailbox.clear();
      taken.clear();
      at = null;
      checkpoint = null;
      retainedFrom = null;
      return false;
    }
    for (Message next = mailbox.poll(); next != null; next = mailbox.poll()) {
      taken.add(next); // before routing, so that no base is ahead once everything is routed
    }
    RouterProgress last = routed;
    // Before the head: a head that is read later is covered by this proof.
    TimeSource.Reading verified = cache.proofs().provenByVersion();
    boolean more = route();
    Revision now = at;
    if (now != null && (last == null || now.number() != last.number())) {
      TimeSource.Reading known = last == null ? null : last.verified();
      routed =
          new RouterProgress(
              Position.of(now), now.number(), now.supersededBytes(), more ? known : verified);
    }
    updateCheckpoint(now);
    if (now != null) {
      taken.removeIf(message -> handleIfDue(message, now, more));
      if (!more) {
        appendEnd(now);
      }
    }
    retainedFrom = logs.isEmpty() ? null : now;
    cache.wakeWriter();
    notifyFollowers();
    return more;
  }

  /** Sets a new checkpoint if the last one is too old. */
  private void updateCheckpoint(@Nullable Revision now) {
    Revision last = checkpoint;
    if (now != null
        && (last == null
            || last.isTrimmed()
            || !now.isSameHistoryAs(last)
            || now.supersededBytes() - last.supersededBytes() > checkpointBytes)) {
      checkpoint = now;
    }
  }

  /** Routes at most {@link #REVISIONS} revisions to the feeds. Returns whether there are more. */
  private boolean route() {
    Revision from = at;
    if (from == null || logs.isEmpty()) {
      at = newest();
      return false;
    }
    for (int i = 0; i < REVISIONS; i++) {
      Revision next = from.next();
      if (next == null && !from.isTrimmed()) {
        return false;
      }
      if (next == null) { // history was trimmed: each stream must catch up from the cache
        appendGaps(from);
        next = newest();
      } else {
        routeRevision(from, next);
      }
      from = next == null ? from : next;
      at = from;
    }
    return from.next() != null || from.isTrimmed();
  }

  /** Returns the head or the revision about to become it: a joining stream may have read either. */
  private @Nullable Revision newest() {
    Revision head = cache.head();
    Revision next = head == null ? null : head.next();
    return next == null ? head : next;
  }

  private void routeRevision(Revision from, Revision next) {
    try {
      switch (next.kind()) {
        case PROGRESS -> {}
        case RELIST, HISTORY_LOST -> appendGaps(from);
        case CHANGES -> appendChanges(from, next, next.changes());
      }
    } catch (RuntimeException e) {
      log.error("version {} of {} could not be routed", next.version(), name(), e);
      appendGaps(from); // each follower meets the failing change on its own and fails alone
    }
  }

  private void appendChanges(Revision before, Revision revision, List<Change> changes) {
    if (changes.isEmpty()) { // trimmed since it was read
      appendGaps(before);
      return;
    }
    FrameLog.append(index, affectedLogs, before, revision, changes, FrameLog.FailureHandler.THROW);
    affectedLogs.forEach(this::markChanged);
    affectedLogs.clear();
  }

  /** Adds a gap to every log: the single changes are not known, so each stream must catch up. */
  private void appendGaps(Revision before) {
    affectedLogs.clear(); // left over from a revision that could not be routed
    for (FrameLog frameLog : logs.values()) {
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
  private void notifyFollowers() {
    for (FrameLog frameLog : changedLogs) {
      frameLog.hasUnannouncedEntries = false;
      for (LoopFollowers followers : frameLog.feed().loopFollowers()) {
        if (followers.markNewFrames()) {
          marked.computeIfAbsent(followers.deliveries(), loop -> new ArrayList<>()).add(followers);
        }
      }
    }
    changedLogs.clear();
    marked.forEach(LoopDeliveries::add);
    marked.clear();
  }

  /**
   * Adds a gap to every log after the end of the type, so that each stream reads the cause from the
   * cache.
   */
  private void appendEnd(Revision last) {
    if (!endAppended && cache.upstreamState().phase().isEnd()) {
      endAppended = true;
      appendGaps(last);
    }
  }

  /**
   * Handles a message, unless its base has not been routed yet. The others do not wait until the
   * router has caught up: under a steady load of more than it routes at once, it never does.
   */
  private boolean handleIfDue(Message message, Revision now, boolean more) {
    if (more && message instanceof Message.Attach attach && attach.base.number() > now.number()) {
      return false;
    }
    handle(message, now);
    return true;
  }

  private void handle(Message message, Revision now) {
    switch (message) {
      case Message.Attach(Feed feed, Revision base, Attachment answer) -> {
        try {
          attach(feed, base, answer, now);
        } catch (RuntimeException e) {
          log.error("a stream of {} could not follow {}", name(), base.version(), e);
          release(feed);
          answer.failed();
        }
      }
      case Message.Detach(Feed feed) -> release(feed);
    }
  }

  private void attach(Feed feed, Revision base, Attachment answer, Revision now) {
    FrameLog frameLog = follow(feed);
    FrameNode end = endAppended ? FrameNode.gap(now) : frameLog.tail();
    end.retain();
    if (base.number() == now.number()) {
      answer.attached(new JoinPoint(end, end));
    } else {
      replays.add(new Replay.Request(feed, base, now, end, new Replayed(feed, answer)));
    }
  }

  /** Returns the log of a feed and counts one more follower, until {@link #release}. */
  private FrameLog follow(Feed feed) {
    FrameLog frameLog = logs.get(feed);
    if (frameLog == null) {
      ChangeEncoder encoder = encoders.computeIfAbsent(feed.encoder(), ChangeEncoder::new);
      logCounts.merge(feed.encoder(), 1, Integer::sum);
      frameLog = new FrameLog(feed, encoder);
      logs.put(feed, frameLog);
      index.add(feed.selection(), frameLog);
    }
    frameLog.followerCount++;
    return frameLog;
  }

  private void release(Feed feed) {
    FrameLog frameLog = logs.get(feed);
    if (frameLog != null && --frameLog.followerCount == 0) {
      logs.remove(feed);
      index.remove(frameLog);
      Integer left =
          logCounts.computeIfPresent(feed.encoder(), (_, count) -> count == 1 ? null : count - 1);
      if (left == null) {
        // It would keep its last change, and clients may choose any number of projections.
        encoders.remove(feed.encoder());
      }
    }
  }

  /** Callback that detaches a stream from the feed if its replay fails. */
  private final class Replayed implements Attachment {
    private final Feed feed;
    private final Attachment answer;

    Replayed(Feed feed, Attachment answer) {
      this.feed = feed;
      this.answer = answer;
    }

    @Override
    public void attached(JoinPoint joinPoint) {
      answer.attached(joinPoint);
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
