package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.cache.UpstreamState;
import io.watchgate.encode.Position;
import io.watchgate.encode.TokenCheck;
import io.watchgate.error.StreamErrors;
import io.watchgate.error.UpstreamErrors;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import org.jspecify.annotations.Nullable;

/**
 * Phase that waits until the cache has the start of the stream: a first list, a version, or a
 * position.
 */
final class StartPhase implements Phase {
  private final PhaseMachine.Context context;
  private final StartPoint start;
  private final StreamTimers.Timeout positionTimeout;
  private final StreamTimers.Timeout lookupTimeout;
  private final StreamTimers.Timeout loadTimeout;
  private final StreamTimers.Timeout backfillTimeout;
  private final UpstreamVersionLookup upstream;
  private final StreamTimers.Timeout proofDelay;
  private boolean proofRequested;

  /** Version of the last request for history from before that of this gateway. */
  private @Nullable ResourceVersion requestedHistory;

  private boolean historyAnswered;

  StartPhase(
      PhaseMachine.Context context, StartPoint start, StreamTimers timers, FanoutSettings limits) {
    this.context = context;
    this.start = start;
    this.positionTimeout = timers.timeout(limits.positionTimeout());
    this.lookupTimeout = timers.timeout(limits.upstreamLookupTimeout());
    this.loadTimeout = timers.timeout(limits.loadTimeout());
    this.backfillTimeout = timers.timeout(limits.backfillTimeout());
    this.proofDelay = timers.timeout(FanoutSettings.PROOF_DELAY);
    this.upstream = new UpstreamVersionLookup(context);
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.STARTING;
  }

  @Override
  public @Nullable Phase advance() {
    Revision head = context.cache().head();
    if (head == null) {
      Phase end = context.endOfCache();
      return end == null ? loading(context.cache().upstreamState()) : end;
    }
    ResourceVersion minimum = context.settings().minimumVersion();
    if (minimum != null
        && !context.cache().proofs().hasReached(minimum)
        && !isReachedByToken(minimum)) {
      requestProof();
      return waitFor(minimum, head, "minimum_resource_version");
    }
    return switch (start) {
      case StartPoint.Snapshot() ->
          new SnapshotPhase(context, SnapshotReason.SNAPSHOT_REASON_REQUESTED);
      case StartPoint.Now() ->
          resume(head, new Position(context.cache().proofs().latestVersion(head), head.digest()));
      case StartPoint.Version(ResourceVersion version) -> fromVersion(version, head);
      case StartPoint.After(ResourceVersion version) ->
          version.isAfter(head.version()) ? ahead(version, head) : after(version, head);
      case StartPoint.Token(TokenCheck check) -> fromToken(check, head);
    };
  }

  /**
   * Returns whether the client has the minimum already. If it has, the minimum is not awaited: the
   * versions of a restored cluster may be lower, and the client has to get the loss of the
   * timeline.
   */
  private boolean isReachedByToken(ResourceVersion minimum) {
    return start instanceof StartPoint.Token(TokenCheck.Good(Position position))
        && !minimum.isAfter(position.version());
  }

  private @Nullable Phase loading(UpstreamState upstream) {
    UpstreamFailure failure = upstream.failure();
    if (failure == null) {
      return null;
    }
    // Credentials are read again for the next call, so their refusal may be temporary.
    if (failure instanceof UpstreamFailure.Forbidden
        || (failure.needsAdministrator() && loadTimeout.isOver())) {
      return new Ended(
          UpstreamErrors.gatewayMayNotRead(
              context.type().groupResource(), failure.message(), failure.remedy(context.type())));
    }
    if (loadTimeout.isOver()) {
      return new Ended(UpstreamErrors.notLoaded(context.type().groupResource(), failure.message()));
    }
    return null;
  }

  /**
   * Requests one proof that the head is also the state at a later version. A minimum version taken
   * from a list or from another type is never reached by a change of this type.
   */
  private void requestProof() {
    if (proofDelay.isOver() && !proofRequested) {
      proofRequested = true;
      var _ =
          context
              .cache()
              .proveFresh()
              .thenAccept(_ -> context.stream().execute(() -> context.stream().runOnce()));
    }
  }

  private @Nullable Phase waitFor(ResourceVersion wanted, Revision head, String what) {
    return shouldWait(wanted) ? null : behind(wanted, head, what);
  }

  /**
   * Returns whether to wait for a version: it may arrive soon, or the apiserver reports that it
   * exists.
   */
  private boolean shouldWait(ResourceVersion wanted) {
    if (!positionTimeout.isOver()) {
      return true;
    }
    UpstreamLookups.Progress found = upstream.lookUp(wanted);
    return (found == null || found.hasReached(wanted)) && !lookupTimeout.isOver();
  }

  private Phase behind(ResourceVersion wanted, Revision head, String what) {
    return new Ended(
        UpstreamErrors.streamBehind(
            what, wanted.toString(), context.type().groupResource(), head.version().toString()));
  }

  private @Nullable Phase fromVersion(ResourceVersion version, Revision head) {
    if (version.isAfter(head.version())) {
      return waitFor(version, head, "resource_version");
    }
    Revision base = context.cache().revisionAtOrBefore(version);
    if (base == null) {
      return requestHistory(version, "resource_version");
    }
    if (isInsideGap(base, version)) {
      return insideGap("resource_version " + version);
    }
    Revision next = base.next();
    // Deletes without a version of their own follow: the client may lack them, so they are sent.
    boolean isEarlier =
        next != null
            && next.kind() == Revision.Kind.CHANGES
            && next.version().equals(base.version());
    return resume(base, new Position(isEarlier ? base.version() : version, base.digest()));
  }

  /**
   * Returns the phase of a stream whose client has a version of the apiserver. A gap between that
   * version and the head is handled now: otherwise the stream would end at the gap without a
   * change, and so would each retry from that version.
   */
  private @Nullable Phase after(ResourceVersion version, Revision head) {
    Revision base = context.cache().revisionAtOrBefore(version);
    return base != null && head.hasGapSince(base)
        ? insideGap("resourceVersion " + version)
        : fromVersion(version, head);
  }

  /** Returns the phase of a stream whose client knows a version after the head. */
  private Phase ahead(ResourceVersion version, Revision head) {
    if (context.cache().hasLostHistoryReached(version)) {
      return historyLost();
    }
    context
        .out()
        .begin(
            new Position(version, head.digest()),
            response -> response.setResumed(Resumed.getDefaultInstance()));
    return PrivateReplayPhase.fromApiserverVersion(context, head, version);
  }

  private @Nullable Phase fromToken(TokenCheck check, Revision head) {
    return switch (check) {
      case TokenCheck.OtherFormat() ->
          context.expired(
              SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, StreamErrors.OTHER_FORMAT);
      case TokenCheck.OtherCluster() ->
          context.expired(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, StreamErrors.OTHER_CLUSTER);
      case TokenCheck.OtherDefinition() ->
          context.expired(
              SnapshotReason.SNAPSHOT_REASON_TYPE_CHANGED, StreamErrors.OTHER_DEFINITION);
      case TokenCheck.Good(Position position) -> fromPosition(position, head);
    };
  }

  private @Nullable Phase fromPosition(Position position, Revision head) {
    ResourceVersion version = position.version();
    if (version.isAfter(head.version())) {
      // The states are equal: the versions of quiet types advance faster on one replica or another.
      // After a restore that was seen here no replica is ahead, and later changes reuse such
      // versions.
      boolean lost = context.cache().hasLostHistoryReached(version);
      if (position.digest().equals(head.digest()) && !lost) {
        return resume(head, position);
      }
      if (lost && positionTimeout.isOver()) {
        return historyLost();
      }
      if (shouldWait(version)) {
        return null;
      }
      return upstream.isBefore(version)
          ? historyLost()
          : behind(version, head, "the token's version");
    }
    Revision base = context.cache().revisionAtOrBefore(version, position.digest());
    if (base == null) {
      return requestHistory(version, "the token's version");
    }
    if (!position.digest().equals(base.digest())) {
      if (isInsideGap(base, version)) {
        return insideGap("the token's version " + version);
      }
      return mayBeInsideVersion(base, version) && requestBackfillOnce(version.previous())
          ? null
          : historyLost();
    }
    return resume(base, position);
  }

  /**
   * Returns whether the version may have changes that history does not have: history begins in its
   * middle, or at its end. Deletes of one transaction share a version.
   */
  private boolean mayBeInsideVersion(Revision base, ResourceVersion version) {
    return base.version().equals(version)
        && context.cache().revisionAtOrBefore(version.previous()) == null;
  }

  /** Returns null while older history is awaited. */
  private @Nullable Phase requestHistory(ResourceVersion version, String what) {
    return requestBackfillOnce(version) ? null : beforeHistory(what + " " + version);
  }

  /**
   * Requests a backfill from {@code version} unless that was the last request: the apiserver may
   * have changes that this gateway has dropped or never had. Returns whether to wait for it.
   */
  private boolean requestBackfillOnce(ResourceVersion version) {
    if (!version.equals(requestedHistory)) {
      requestedHistory = version;
      historyAnswered = false;
      var _ =
          context
              .cache()
              .upstreamLookups()
              .backfill(version)
              .thenAccept(
                  reached ->
                      context.stream()
                          .execute(
                              () -> {
                                historyAnswered |= version.equals(requestedHistory);
                                context.stream().runOnce();
                              }));
    }
    return !historyAnswered && !backfillTimeout.isOver();
  }

  private Phase historyLost() {
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, StreamErrors.RESTORED_SINCE_TOKEN);
  }

  /**
   * Returns whether the version is between two revisions of which the later was listed: the changes
   * between them are unknown.
   */
  private static boolean isInsideGap(Revision base, ResourceVersion version) {
    if (base.version().equals(version)) {
      return false;
    }
    Revision next = base.next();
    return next == null || next.kind() == Revision.Kind.RELIST;
  }

  private Phase beforeHistory(String what) {
    Revision oldest = context.cache().oldest();
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        StreamErrors.beforeHistory(what, oldest == null ? "" : oldest.version().toString()));
  }

  private Phase insideGap(String what) {
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        StreamErrors.insideGap(what, context.type().groupResource()));
  }

  /**
   * Resumes the stream: changes follow from {@code position}, whose state equals that at {@code
   * base}.
   */
  private Phase resume(Revision base, Position position) {
    context.out().begin(position, response -> response.setResumed(Resumed.getDefaultInstance()));
    return position.version().equals(base.version())
        ? new CatchUpPhase(context, base, position)
        : PrivateReplayPhase.fromProvenPosition(context, base, position);
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public @Nullable Revision pinnedRevision() {
    return null;
  }

  @Override
  public boolean listensToCache() {
    return true;
  }

  @Override
  public Phase afterPinLoss() {
    return this;
  }
}
