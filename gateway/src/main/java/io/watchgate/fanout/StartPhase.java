package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.cache.UpstreamState;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Phase that waits until the cache has the start of the stream: a first list, a version, or a
 * position.
 */
final class StartPhase implements Phase {
  private final StreamContext context;
  private final StartPoint start;
  private final StartTimeouts waits;
  private final UpstreamVersionLookup upstream;
  private Past past = Past.UNASKED;

  /** State of the request for history before that of this gateway. */
  private enum Past {
    UNASKED,
    ASKED,
    ANSWERED
  }

  StartPhase(StreamContext context, StartPoint start, StartTimeouts waits) {
    this.context = context;
    this.start = start;
    this.waits = waits;
    this.upstream = new UpstreamVersionLookup(context);
  }

  @Override
  public @Nullable Phase step() {
    Revision head = context.cache().head();
    if (head == null) {
      Phase end = context.stream().endOfCache();
      return end == null ? loading(context.cache().upstream()) : end;
    }
    ResourceVersion minimum = context.settings().minimumVersion();
    if (minimum != null && minimum.isAfter(head.version())) {
      return waitFor(minimum, head, "minimum_resource_version");
    }
    return switch (start) {
      case StartPoint.Snapshot() ->
          new SnapshotPhase(context, SnapshotReason.SNAPSHOT_REASON_REQUESTED);
      case StartPoint.Now() -> resume(head, null);
      case StartPoint.Version(ResourceVersion version) -> fromVersion(version, head);
      case StartPoint.Token(StartPoint.TokenCheck check) -> fromToken(check, head);
    };
  }

  private @Nullable Phase loading(UpstreamState upstream) {
    UpstreamFailure failure = upstream.failure();
    if (failure == null) {
      return null;
    }
    // Credentials are read again for the next call, so their refusal may be temporary.
    if (failure instanceof UpstreamFailure.Forbidden
        || (failure.needsAdministrator() && waits.loadingPatienceIsOver())) {
      return new Ended(
          ApiError.forbidden(
              "the gateway itself may not read "
                  + context.type().groupResource()
                  + ": "
                  + failure.message()
                  + ". "
                  + failure.remedy(context.type())));
    }
    if (waits.loadingPatienceIsOver()) {
      return new Ended(
          ApiError.retry(
              ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE,
              Duration.ofSeconds(5),
              "the apiserver did not answer for "
                  + context.type().groupResource()
                  + ": "
                  + failure.message()));
    }
    return null;
  }

  private @Nullable Phase waitFor(ResourceVersion wanted, Revision head, String what) {
    return stillWaits(wanted) ? null : behind(wanted, head, what);
  }

  /**
   * Returns whether to wait for a version: it may arrive soon, or the apiserver reports that it
   * exists.
   */
  private boolean stillWaits(ResourceVersion wanted) {
    if (!waits.positionWaitIsOver()) {
      return true;
    }
    UpstreamLookups.Progress found = upstream.look(wanted);
    return (found == null || found.has(wanted)) && !waits.lookIsOver();
  }

  private Phase behind(ResourceVersion wanted, Revision head, String what) {
    return new Ended(
        ApiError.retry(
            ErrorReason.ERROR_REASON_BEHIND,
            Duration.ofSeconds(1),
            what
                + " "
                + wanted
                + " of "
                + context.type().groupResource()
                + " has not arrived here yet; this gateway holds version "
                + head.version()
                + ". Try again, here or on another replica."));
  }

  private @Nullable Phase fromVersion(ResourceVersion version, Revision head) {
    if (version.isAfter(head.version())) {
      return waitFor(version, head, "resource_version");
    }
    Revision base = context.cache().floor(version);
    if (base == null) {
      return reachBack(version, "resource_version");
    }
    if (insideGap(base, version)) {
      return expired("resource_version " + version);
    }
    return resume(base, new Position(version, base.digest()));
  }

  private @Nullable Phase fromToken(StartPoint.TokenCheck check, Revision head) {
    return switch (check) {
      case StartPoint.OtherFormat() -> expired("The token of another gateway version");
      case StartPoint.OtherCluster() ->
          context.expired(
              SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST,
              "The token is of another cluster than this gateway serves.");
      case StartPoint.OtherDefinition() ->
          context.expired(
              SnapshotReason.SNAPSHOT_REASON_TYPE_CHANGED,
              "The resource type was defined anew since the token was made.");
      case StartPoint.Good(Position position) -> fromPosition(position, head);
    };
  }

  private @Nullable Phase fromPosition(Position position, Revision head) {
    ResourceVersion version = position.version();
    if (version.isAfter(head.version())) {
      // The states are equal: the versions of quiet types advance faster on one replica or another.
      // After a restore that was seen here no replica is ahead, and later changes reuse such
      // versions.
      boolean lost = context.cache().lostHistoryReached(version);
      if (position.digest().equals(head.digest()) && !lost) {
        return resume(head, position);
      }
      if (lost && waits.positionWaitIsOver()) {
        return historyLost();
      }
      if (stillWaits(version)) {
        return null;
      }
      return upstream.isBefore(version)
          ? historyLost()
          : behind(version, head, "the token's version");
    }
    Revision base = context.cache().floor(version, position.digest());
    if (base == null) {
      return reachBack(version, "The token's version");
    }
    if (!position.digest().equals(base.digest())) {
      return insideGap(base, version) ? expired("The token's version " + version) : historyLost();
    }
    return resume(base, position);
  }

  /**
   * Requests older history: the apiserver may have changes that this gateway has dropped or never
   * had.
   */
  private @Nullable Phase reachBack(ResourceVersion version, String what) {
    if (past == Past.UNASKED) {
      past = Past.ASKED;
      var _ =
          context
              .cache()
              .inquiries()
              .reachBack(version)
              .thenAccept(
                  reached ->
                      context.stream()
                          .execute(
                              () -> {
                                past = Past.ANSWERED;
                                context.stream().turn();
                              }));
    }
    return past == Past.ASKED && !waits.pastWaitIsOver() ? null : expired(what + " " + version);
  }

  private Phase historyLost() {
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST,
        "The cluster's state at the token's version is another one now: it was restored.");
  }

  /**
   * Returns whether the version is between two revisions of which the later was listed: the changes
   * between them are unknown.
   */
  private static boolean insideGap(Revision base, ResourceVersion version) {
    if (base.version().equals(version)) {
      return false;
    }
    Revision next = base.next();
    return next == null || next.kind() == Revision.Kind.RELIST;
  }

  private Phase expired(String what) {
    Revision oldest = context.cache().oldest();
    return context.expired(
        SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED,
        what
            + " is further back than this gateway's history"
            + (oldest == null ? "." : ", which begins at " + oldest.version() + "."));
  }

  /**
   * Resumes the stream: changes follow from {@code position}, whose state equals that at {@code
   * base}. If {@code position} is null, they follow from the base itself.
   */
  private Phase resume(Revision base, @Nullable Position position) {
    Position from = position == null ? Position.of(base) : position;
    context.out().signal(from, response -> response.setResumed(Resumed.getDefaultInstance()));
    return from.version().equals(base.version())
        ? new CatchUpPhase(context, base, from)
        : new PrivateReplayPhase(context, base, from, from);
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public @Nullable Revision standing() {
    return null;
  }

  @Override
  public boolean listens() {
    return true;
  }

  @Override
  public Phase letGo() {
    return this;
  }
}
