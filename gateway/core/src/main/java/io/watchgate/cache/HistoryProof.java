package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Proof that the cached state belongs to the present timeline of the cluster, made after a
 * connection was lost and before any newer change is applied. A cluster may be restored from a
 * backup while the gateway is disconnected, and pass the gateway's version. Then it accepts a watch
 * from the cached version and sends changes of another timeline.
 *
 * <p>The proof is a list of all metadata at exactly the cached version, with an equal digest. The
 * apiserver may have forgotten that version, or not support exact lists. Then the proof is a list
 * of the present metadata, and a brief watch whose changes lead from the cached state to this list.
 * Only the state of this list is proven, none before it, so it is published like a list. Used by
 * the reflector's thread.
 */
final class HistoryProof {
  private final Upstream upstream;
  private final WatchCache cache;
  private final FieldPaths paths;
  private final CacheMetrics metrics;
  private final ComparisonPermits permits;
  private final SameVersionComparison comparison;

  /** True until a watch works after the last proof. */
  private boolean isUnusedSinceProof;

  /** True if the watch after the last proof was refused; the next may be refused, too. */
  private boolean wasRefusedAfterProof;

  /**
   * @param permits limits the number of types that list their metadata at a time
   * @param stopped latch that ends every wait
   */
  HistoryProof(
      Upstream upstream,
      WatchCache cache,
      FieldPaths paths,
      CacheMetrics metrics,
      ComparisonPermits permits,
      ReflectorClock.Sleeper waiting,
      CountDownLatch stopped) {
    this.upstream = upstream;
    this.cache = cache;
    this.paths = paths;
    this.metrics = metrics;
    this.permits = permits;
    this.comparison = new SameVersionComparison(upstream, cache, waiting, stopped);
  }

  /** Result of a proof. */
  sealed interface Verdict {}

  /** The history is the same; changes that were needed for the proof are in the cache. */
  record Same() implements Verdict {}

  /** The cached state does not belong to the present timeline. */
  record Lost() implements Verdict {}

  /** Only a list can decide. */
  record Unprovable(String reason) implements Verdict {}

  record Failed(UpstreamFailure failure) implements Verdict {}

  /** Records that a watch failed at once. */
  void recordRefusal() {
    wasRefusedAfterProof = isUnusedSinceProof;
  }

  /** Records that a watch worked. */
  void recordSuccess() {
    isUnusedSinceProof = false;
    wasRefusedAfterProof = false;
  }

  /** Makes the proof for the head. */
  Verdict prove(Revision head) throws InterruptedException {
    if (wasRefusedAfterProof || head.state().size() > HistoryProofSettings.LARGE) {
      UpstreamFailure failure = watchRefusal(head);
      if (failure != null) {
        return new Failed(failure);
      }
    }
    Verdict verdict;
    try (ComparisonPermits.Permit _ = permits.acquire()) {
      verdict = compare(head);
    }
    metrics.historyChecked(
        switch (verdict) {
          case Same _ -> "same";
          case Lost _ -> "lost";
          case Unprovable _ -> "unprovable";
          case Failed _ -> "failed";
        });
    isUnusedSinceProof = verdict instanceof Same;
    return verdict;
  }

  /**
   * Returns the failure of a watch that is refused; null if it is accepted. This is cheaper than a
   * list.
   */
  private @Nullable UpstreamFailure watchRefusal(Revision head) {
    return upstream
        .watchBriefly(
            cache.watchStart(head).digits(),
            HistoryProofSettings.REFUSAL_WATCH,
            new AcceptanceSink())
        .failure();
  }

  /** Sink that ends a watch as soon as it sends something other than a refusal. */
  private static final class AcceptanceSink implements Upstream.WatchSink {
    private enum Accepted implements Upstream.Stop {
      ACCEPTED
    }

    @Override
    public Upstream.SinkResult event(Upstream.EventType type, byte[] buffer, int from, int to) {
      return Accepted.ACCEPTED;
    }

    @Override
    public Upstream.SinkResult bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
      return Accepted.ACCEPTED;
    }
  }

  private Verdict compare(Revision head) throws InterruptedException {
    return switch (comparison.compare(head)) {
      case SameVersionComparison.Equal _ -> {
        cache.markComplete(head);
        yield new Same();
      }
      case SameVersionComparison.Different difference -> compareCompleted(head, difference);
      case SameVersionComparison.Failed(UpstreamFailure failure) -> new Failed(failure);
      case SameVersionComparison.VersionExpired _, SameVersionComparison.OtherVersionListed _ ->
          proveByWatch(head);
    };
  }

  /**
   * Compares the apiserver's state with the state of the head after the deletes of its version that
   * it may lack. The deletes are not applied: the next watch sends them, too.
   */
  private Verdict compareCompleted(Revision head, SameVersionComparison.Different difference) {
    if (cache.mayBePartOfVersion(head)) {
      UnprovenState unproven =
          new UnprovenState(
              head, head.version(), difference.digest(), HistoryProofSettings.MAX_BUFFERED_BYTES);
      UpstreamFailure failure = followChanges(unproven);
      if (unproven.matchesList()) {
        return new Same();
      }
      if (failure != null) {
        return new Failed(failure);
      }
      if (!unproven.hasReachedList()) {
        return new Unprovable(
            "the deletes of version "
                + head.version()
                + (unproven.isTooLarge() ? " are too many" : " did not arrive"));
      }
    }
    comparison.log(head, difference);
    return new Lost();
  }

  private Verdict proveByWatch(Revision head) {
    TimeSource.Reading requestedAt = cache.now();
    MetadataDigest sum = new MetadataDigest(cache.skipped());
    ResourceVersion listed;
    switch (upstream.listMetadata(sum)) {
      case Upstream.ListFailed(UpstreamFailure failure) -> {
        return new Failed(failure);
      }
      case Upstream.Listed(String version) -> listed = WatchApplier.requireOrdered(version);
    }
    if (head.version().isAfter(listed)) {
      return new Unprovable(
          "the apiserver is at version "
              + listed
              + ", behind the cached version "
              + head.version());
    }
    UnprovenState changes =
        new UnprovenState(head, listed, sum.digest(), HistoryProofSettings.MAX_BUFFERED_BYTES);
    if (!changes.matchesList()) {
      UpstreamFailure failure = followChanges(changes);
      if (failure != null) {
        return new Failed(failure);
      }
      if (!changes.matchesList()) {
        return new Unprovable(
            "the changes after the cached version "
                + head.version()
                + (changes.isTooLarge()
                    ? " are larger than " + HistoryProofSettings.MAX_BUFFERED_BYTES + " bytes"
                    : " do not lead to version " + listed));
      }
    }
    Revision next = cache.afterList(listed, changes.head().state(), HistoryConfidence.IN_DOUBT);
    if (next.kind() == Revision.Kind.HISTORY_LOST) {
      return new Lost();
    }
    // Published as a gap, like a list: in the present timeline other changes may have led to this
    // state than the watch sent. If the state already equalled the list, no watch was made.
    cache.publishList(next, requestedAt);
    return new Same();
  }

  /** Follows the changes after the head, which is the beginning of {@code changes}. */
  private @Nullable UpstreamFailure followChanges(UnprovenState changes) {
    return upstream
        .watchBriefly(
            cache.watchStart(changes.head()).digits(),
            WatchFailureSettings.BRIEF_DURATION,
            new WatchApplier(changes, paths, cache.skipped(), CacheMetrics.NONE))
        .failure();
  }
}
