package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the past of a type from the apiserver, which remembers about five minutes of it: for
 * tokens that are older than this replica. A watch event does not say what was there before, and
 * who selects has to know; so first comes a list of the state at the oldest version that is wanted,
 * then a watch from there up to the oldest revision that is held ({@link BackfilledHistory}). Used
 * by one thread at a time, never by the writer; what it makes becomes history in one step.
 *
 * <p>Bounds: what differs from the held state, and all that changed since, is at most what history
 * has room for ({@link History#roomForPast}); beyond it, or where the apiserver has forgotten,
 * nothing is fetched and whoever waits gets a snapshot.
 */
final class Backfill {
  private static final Logger log = LoggerFactory.getLogger(Backfill.class);

  /**
   * A quiet type comes to the end with the bookmark that the apiserver sends one to three seconds
   * before that of the watch. One that sends none cannot say that nothing is missing.
   */
  private static final Duration WATCH = Duration.ofSeconds(4);

  /** A busy type with a long past may need more than one. */
  private static final int WATCHES = 6;

  private static final Duration PAUSE = Duration.ofSeconds(30);

  /** An apiserver that asks for a longer rest than the first pause is not to be pressed. */
  private static final Duration LONGEST_REST = Duration.ofSeconds(1);

  private final Upstream upstream;
  private final WatchCache cache;
  private final FieldPaths paths;
  private final CacheMetrics metrics;

  /** What was tried last. Tokens can be forged, and each try is a list of everything. */
  private @Nullable Vain vain;

  /**
   * Up to this version there is nothing to be had.
   *
   * @param history of which it is: after a restore versions are others
   * @param until it may be tried again; null: the apiserver has forgotten it, which is not undone
   */
  private record Vain(ResourceVersion version, int history, @Nullable Long until) {
    boolean holds(ResourceVersion wanted, long now, int historyNow) {
      return historyNow == history
          && !wanted.isAfter(version)
          && (until == null || now - until < 0);
    }
  }

  Backfill(Upstream upstream, WatchCache cache, FieldPaths paths, CacheMetrics metrics) {
    this.upstream = upstream;
    this.cache = cache;
    this.paths = paths;
    this.metrics = metrics;
  }

  /** Result of one try. */
  enum Reach {
    /** History begins at or before the version. */
    REACHED,
    /** Another try would bring nothing either. */
    NOT_AVAILABLE,
    /** The apiserver did not answer; it may a little later. */
    UNANSWERED
  }

  /** Why there is nothing; {@code outcome} is a word for metrics. Carries no content. */
  static final class Fruitless extends RuntimeException {
    private static final long serialVersionUID = 1;
    final String outcome;

    Fruitless(String outcome, String message) {
      super(message, null, false, false);
      this.outcome = outcome;
    }
  }

  /** Tries once to make history begin at or before {@code version}. */
  Reach reach(ResourceVersion version) {
    Revision oldest = cache.oldest();
    if (oldest == null) {
      return Reach.NOT_AVAILABLE;
    }
    if (cache.floor(version) != null) {
      return Reach.REACHED;
    }
    if (isInVain(version)) {
      return Reach.NOT_AVAILABLE;
    }
    long room = cache.roomForPast();
    try {
      return room > 0 ? fetch(version, oldest, room) : Reach.NOT_AVAILABLE;
    } finally {
      cache.pastIsFetched(room);
    }
  }

  private Reach fetch(ResourceVersion version, Revision oldest, long room) {
    String outcome;
    try {
      BackfilledHistory past =
          new BackfilledHistory(version, base(version, oldest, room), oldest, room);
      follow(past);
      if (!cache.reachBack(past)) {
        throw past.oldest().equals(cache.oldest())
            ? new Fruitless("too_large", "it is more than history may hold")
            : new Fruitless("moved", "history begins elsewhere by now");
      }
      outcome = "reached";
      log.info(
          "{}: fetched the past from version {} on, {} changes", type(), version, past.changes());
    } catch (Fruitless e) {
      outcome = e.outcome;
      log.info("{}: no past from version {} on: {}", type(), version, e.getMessage());
    } catch (WatchApplier.Violation | WatchApplier.Unordered e) {
      outcome = "failed";
      log.warn("{}: no past from version {} on: {}", type(), version, e.getMessage());
    }
    metrics.backfilled(outcome);
    return switch (outcome) {
      case "reached" -> {
        vain = null;
        yield Reach.REACHED;
      }
      case "unanswered" -> Reach.UNANSWERED;
      case "moved" -> {
        vain = null;
        yield Reach.NOT_AVAILABLE;
      }
      case "expired" -> {
        vain = new Vain(version, cache.lostHistories(), null);
        yield Reach.NOT_AVAILABLE;
      }
      default -> {
        rest(version);
        yield Reach.NOT_AVAILABLE;
      }
    };
  }

  /** Does not try {@code version}, or an older one, again for 30 s. */
  void rest(ResourceVersion version) {
    vain = new Vain(version, cache.lostHistories(), cache.now().nanos() + PAUSE.toNanos());
  }

  private boolean isInVain(ResourceVersion version) {
    return vain != null && vain.holds(version, cache.now().nanos(), cache.lostHistories());
  }

  private StateMap base(ResourceVersion version, Revision oldest, long room) {
    ListCollector collector =
        new ListCollector(
            oldest.state(),
            paths,
            cache.skipped(),
            (all, other) -> {
              if (other > room) {
                throw new Fruitless("too_large", "it is more than history may hold");
              }
            });
    return switch (upstream.listAt(version.digits(), Upstream.Content.OBJECTS, collector)) {
      case Upstream.Listed(String listed) when listed.equals(version.digits()) -> collector.state();
      case Upstream.Listed(String listed) ->
          throw new Fruitless("failed", "the apiserver listed version " + listed);
      case Upstream.ListFailed(UpstreamFailure failure) -> throw fruitless(failure);
    };
  }

  private void follow(BackfilledHistory past) {
    WatchApplier applier = new WatchApplier(past, paths, cache.skipped(), CacheMetrics.NONE);
    try {
      for (int i = 0; i < WATCHES; i++) {
        UpstreamFailure failure =
            upstream.watchBriefly(past.head().version().digits(), WATCH, applier).failure();
        if (failure != null) {
          throw fruitless(failure);
        }
        if (applier.bookmarks() == 0) {
          break;
        }
      }
    } catch (BackfilledHistory.Complete e) {
      return;
    }
    throw new Fruitless("failed", "the apiserver did not say that this was all");
  }

  private static Fruitless fruitless(UpstreamFailure failure) {
    return new Fruitless(
        switch (failure) {
          case UpstreamFailure.Expired _ -> "expired";
          case UpstreamFailure.Transport _,
              UpstreamFailure.ServerError _,
              UpstreamFailure.Throttled _,
              UpstreamFailure.NotYetReached _,
              UpstreamFailure.Unauthorized _ ->
              failure.retryAfter().compareTo(LONGEST_REST) > 0 ? "failed" : "unanswered";
          case UpstreamFailure.Forbidden _,
              UpstreamFailure.TypeGone _,
              UpstreamFailure.BadRequest _,
              UpstreamFailure.Unsupported _,
              UpstreamFailure.Malformed _ ->
              "failed";
        },
        failure.message());
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
