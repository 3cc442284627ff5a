package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds, for one cache, what feeds select in the present state, for all who ask in one pass: the
 * first is served at once, whoever asks during a pass has part in the next. The passes run on a
 * small pool, a piece at a time. Thread-safe.
 */
final class ScanBatcher {
  private static final Logger log = LoggerFactory.getLogger(ScanBatcher.class);

  /** Objects looked at in one piece of work: some milliseconds. */
  private static final int PIECE = 16_384;

  /**
   * Who selects more than this sends so much that looking for it costs little beside; and a list
   * for each of a thousand who select everything would be memory.
   */
  static final int MOST_FOUND = 1_024;

  private final WatchCache cache;
  private final SerialTask task;
  private Map<Feed, Search> asked = new LinkedHashMap<>();
  private @Nullable Pass pass;

  ScanBatcher(WatchCache cache, Executor pool) {
    this.cache = cache;
    this.task = new SerialTask(pool, this::work);
  }

  /**
   * What a feed selects.
   *
   * @param at the revision it was looked for at: not before the one that was the head when it was
   *     asked for
   * @param objects in the order of keys; null if they are more than {@link #MOST_FOUND}
   */
  record Found(Revision at, @Nullable List<KubeObject> objects) {}

  /** What whoever asked is told, on any thread. */
  interface Answer {
    void found(Found found);

    /** It could not be done: the gateway itself failed. */
    void failed();
  }

  /** For one feed. */
  private static final class Search {
    final List<Answer> answers = new ArrayList<>(1);
    @Nullable List<KubeObject> objects = new ArrayList<>(0);

    void add(KubeObject object) {
      if (objects != null && objects.size() == MOST_FOUND) {
        objects = null;
      } else if (objects != null) {
        objects.add(object);
      }
    }
  }

  private record Pass(Revision at, SharedScan<Search> scan, List<Search> searches) {}

  /** Asks what a feed selects. There has been a first list. */
  void ask(Feed feed, Answer answer) {
    synchronized (this) {
      asked.computeIfAbsent(feed, key -> new Search()).answers.add(answer);
    }
    task.ask();
  }

  private boolean work() {
    Pass now = pass == null ? begin() : pass;
    pass = now;
    if (now == null) {
      return false;
    }
    try {
      if (now.scan.step(PIECE)) {
        return true;
      }
      for (Search search : now.searches) {
        Found found = new Found(now.at, search.objects);
        search.answers.forEach(answer -> answer.found(found));
      }
    } catch (RuntimeException e) {
      log.error("a search for {} selections failed", now.searches.size(), e);
      now.searches.forEach(search -> search.answers.forEach(Answer::failed));
    }
    pass = null;
    return true; // somebody may have asked meanwhile
  }

  private @Nullable Pass begin() {
    Map<Feed, Search> taken;
    synchronized (this) {
      if (asked.isEmpty()) {
        return null;
      }
      taken = asked;
      asked = new LinkedHashMap<>();
    }
    Revision head = Objects.requireNonNull(cache.head(), "a search before the first list");
    List<SharedScan.Waiting<Search>> waiting = new ArrayList<>(taken.size());
    taken.forEach(
        (feed, search) -> waiting.add(new SharedScan.Waiting<>(feed.selection(), search)));
    return new Pass(
        head, new SharedScan<>(head.state(), waiting, Search::add), List.copyOf(taken.values()));
  }
}
