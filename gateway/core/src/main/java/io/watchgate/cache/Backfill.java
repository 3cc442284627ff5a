package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Backfill of history from the apiserver, which remembers about five minutes, for tokens that are
 * older than this replica. A watch event does not contain the object before the event, but
 * selections need that object. So the backfill first lists the state at the oldest wanted version,
 * then watches from there up to the oldest revision in the cache ({@link BackfilledRevisions}).
 * Used by one thread at a time, never by the writer; {@link #isKnownToFail} is for any thread. The
 * result becomes history atomically.
 *
 * <p>Bounds ({@link BackfillSettings}): the objects that differ from the cached state, and all
 * later changes, occupy at most the room that history has ({@link RetainedRevisions#backfillRoom}).
 * If they are larger, or if the apiserver has forgotten the version, nothing is fetched and the
 * waiting streams get a snapshot.
 */
final class Backfill {
  private static final Logger log = LoggerFactory.getLogger(Backfill.class);

  private final Upstream upstream;
  private final WatchCache cache;
  private final FieldPaths paths;
  private final CacheMetrics metrics;

  /** Versions that the apiserver has forgotten. */
  private volatile @Nullable FailedAttempt expired;

  /**
   * The last attempt that failed for another reason. Tokens can be forged, and each attempt lists
   * all objects.
   */
  private volatile @Nullable FailedAttempt blocked;

  /**
   * Versions that cannot be backfilled.
   *
   * @param version the highest of these versions
   * @param history number of the history: after a restore the versions are different ones
   * @param until time from which another attempt is allowed; null if the apiserver has forgotten
   *     the version, which is permanent
   */
  private record FailedAttempt(ResourceVersion version, int history, @Nullable Long until) {
    boolean covers(ResourceVersion wanted, long now, int historyNow) {
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

  /** Result of one attempt. */
  enum Reach {
    /** History begins at or before the version. */
    REACHED,
    /** The version and all older ones are not available; a newer one may be. */
    VERSION_NOT_AVAILABLE,
    /** At present no version is available. */
    NOTHING_AVAILABLE,
    /** The apiserver did not answer; a later attempt may succeed. */
    UNANSWERED
  }

  /**
   * Failed attempt. {@code outcome} is a label for metrics. The message carries no object content.
   */
  private static final class BackfillFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    final String outcome;
    final Reach reach;
    final Level level;

    /** Creates a failure that newer versions need not have. */
    BackfillFailedException(String outcome, String message) {
      this(outcome, Reach.VERSION_NOT_AVAILABLE, Level.INFO, message);
    }

    BackfillFailedException(String outcome, Reach reach, Level level, String message) {
      super(message, null, false, false);
      this.outcome = outcome;
      this.reach = reach;
      this.level = level;
    }
  }

  /** Makes one attempt to extend history to {@code version} or before. */
  Reach extendHistoryTo(ResourceVersion version) {
    Revision oldest = cache.oldest();
    if (oldest == null) {
      return Reach.NOTHING_AVAILABLE;
    }
    if (cache.revisionAtOrBefore(version) != null) {
      return Reach.REACHED;
    }
    if (isKnownToFail(version)) {
      return Reach.VERSION_NOT_AVAILABLE;
    }
    long room = cache.reserveBackfillRoom();
    try {
      return room > 0 ? fetch(version, oldest, room) : Reach.NOTHING_AVAILABLE;
    } finally {
      cache.releaseBackfillRoom(room);
    }
  }

  private Reach fetch(ResourceVersion version, Revision oldest, long room) {
    CacheMetrics.StartedBackfill measured = metrics.backfillStarted();
    String outcome;
    Reach reach;
    try {
      SkippedObjects skipped = cache.newSkippedObjects();
      BackfilledRevisions past =
          new BackfilledRevisions(version, base(version, oldest, room, skipped), oldest, room);
      fetchChanges(past, skipped);
      if (!cache.prepend(past)) {
        throw past.oldest().equals(cache.oldest())
            ? new BackfillFailedException("too_large", "it is more than history may hold")
            : new BackfillFailedException("moved", "history begins elsewhere by now");
      }
      outcome = "reached";
      reach = Reach.REACHED;
      log.info(
          "{}: backfilled history from version {}: {} changes", type(), version, past.changes());
    } catch (BackfillFailedException e) {
      outcome = e.outcome;
      reach = e.reach;
      log.atLevel(e.level)
          .log("{}: cannot backfill history from version {}: {}", type(), version, e.getMessage());
    } catch (WatchApplier.Unordered e) {
      outcome = "failed";
      reach = Reach.VERSION_NOT_AVAILABLE;
      log.warn("{}: cannot backfill history from version {}: {}", type(), version, e.getMessage());
    }
    measured.ended(outcome);
    switch (reach) {
      case REACHED, UNANSWERED -> {}
      case NOTHING_AVAILABLE -> blockRetries(oldest.version());
      case VERSION_NOT_AVAILABLE -> {
        if (outcome.equals("expired")) {
          expired = new FailedAttempt(version, cache.lostHistories(), null);
        } else {
          blockRetries(version);
        }
      }
    }
    return reach;
  }

  /** Blocks attempts for {@code version} and older versions for 30 s. */
  void blockRetries(ResourceVersion version) {
    blocked =
        new FailedAttempt(
            version,
            cache.lostHistories(),
            cache.now().nanos() + BackfillSettings.RETRY_PAUSE.toNanos());
  }

  /** Returns whether an attempt for {@code version} would fail; the apiserver is not asked. */
  boolean isKnownToFail(ResourceVersion version) {
    return covers(expired, version) || covers(blocked, version);
  }

  private boolean covers(@Nullable FailedAttempt failure, ResourceVersion version) {
    return failure != null && failure.covers(version, cache.now().nanos(), cache.lostHistories());
  }

  private StateMap base(
      ResourceVersion version, Revision oldest, long room, SkippedObjects skipped) {
    ListCollector collector =
        new ListCollector(
            oldest.state(),
            paths,
            skipped,
            (all, other) -> {
              if (other > room) {
                throw new BackfillFailedException("too_large", "it is more than history may hold");
              }
            });
    return switch (upstream.listAt(version.digits(), Upstream.Content.OBJECTS, collector)) {
      case Upstream.Listed(String listed) when listed.equals(version.digits()) -> collector.state();
      case Upstream.Listed(String listed) ->
          throw new BackfillFailedException("failed", "the apiserver listed version " + listed);
      case Upstream.ListFailed(UpstreamFailure failure) -> throw failedAttempt(failure);
    };
  }

  private void fetchChanges(BackfilledRevisions past, SkippedObjects skipped) {
    WatchApplier applier = new WatchApplier(past, paths, skipped, CacheMetrics.NONE);
    for (int i = 0; i < BackfillSettings.MAX_WATCHES; i++) {
      Upstream.WatchOutcome outcome =
          upstream.watchBriefly(
              past.watchStart().digits(), BackfillSettings.WATCH_DURATION, applier);
      switch (outcome.stop()) {
        case BackfilledRevisions.Complete _ -> {
          return;
        }
        case BackfilledRevisions.CannotBackfill(String reason, String message) ->
            throw new BackfillFailedException(reason, message);
        case WatchApplier.Contradiction(var _, String message) ->
            throw new BackfillFailedException(
                "failed", Reach.VERSION_NOT_AVAILABLE, Level.WARN, message);
        case null, default -> {}
      }
      UpstreamFailure failure = outcome.failure();
      if (failure != null) {
        throw failedAttempt(failure);
      }
      if (applier.bookmarks() == 0 && i + 1 == BackfillSettings.MAX_WITHOUT_BOOKMARK) {
        throw new BackfillFailedException(
            "failed",
            Reach.NOTHING_AVAILABLE,
            Level.INFO,
            "the apiserver sent no bookmark, so that later changes may be missing");
      }
    }
    throw new BackfillFailedException("failed", "the apiserver did not say that this was all");
  }

  private static BackfillFailedException failedAttempt(UpstreamFailure failure) {
    Reach reach =
        switch (failure) {
          case UpstreamFailure.Expired _,
              UpstreamFailure.BadRequest _,
              UpstreamFailure.Malformed _ ->
              Reach.VERSION_NOT_AVAILABLE;
          case UpstreamFailure.Transport _,
              UpstreamFailure.ServerError _,
              UpstreamFailure.Throttled _,
              UpstreamFailure.NotYetReached _,
              UpstreamFailure.Unauthorized _ ->
              failure.retryAfter().compareTo(BackfillSettings.MAX_RETRY_AFTER) > 0
                  ? Reach.NOTHING_AVAILABLE
                  : Reach.UNANSWERED;
          case UpstreamFailure.Forbidden _,
              UpstreamFailure.TypeGone _,
              UpstreamFailure.Unsupported _ ->
              Reach.NOTHING_AVAILABLE;
        };
    String outcome =
        failure instanceof UpstreamFailure.Expired
            ? "expired"
            : reach == Reach.UNANSWERED ? "unanswered" : "failed";
    return new BackfillFailedException(outcome, reach, Level.INFO, failure.message());
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
