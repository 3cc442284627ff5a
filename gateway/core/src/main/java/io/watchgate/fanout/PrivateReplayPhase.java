package io.watchgate.fanout;

import io.watchgate.cache.Change;
import io.watchgate.cache.Freshness;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDigest;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ChangeEncoder;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.Position;
import io.watchgate.error.StreamErrors;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Phase that encodes changes for this stream only, because the stream cannot use the shared frames.
 * There are two cases. The stream was opened at a position that this gateway has not reached, and
 * nothing up to that position is sent. Or an event is larger than the client accepts, and is sent
 * without its body.
 */
final class PrivateReplayPhase implements Phase {
  private static final int MAX_REVISIONS_PER_RUN = 1_024;

  private final PhaseMachine.Context context;
  private Revision at;
  private Position sent;

  /** Null after the cache has passed it. */
  private @Nullable ClientVersion clientVersion;

  private final UpstreamVersionLookup upstream;

  /**
   * Version after {@link #at} that the client has reached.
   *
   * @param digest digest of the client's state; null if it is unknown, because the client has the
   *     version from the apiserver
   */
  private record ClientVersion(ResourceVersion version, @Nullable StateDigest digest) {
    boolean canBeStateOf(Revision revision) {
      return digest == null || digest.equals(revision.digest());
    }
  }

  private PrivateReplayPhase(
      PhaseMachine.Context context,
      Revision at,
      Position sent,
      @Nullable ClientVersion clientVersion) {
    this.context = context;
    this.at = at;
    this.sent = sent;
    this.clientVersion = clientVersion;
    this.upstream = new UpstreamVersionLookup(context);
  }

  /**
   * Returns the phase of a stream whose next change must be encoded for it alone.
   *
   * @param at revision whose state was sent
   * @param sent position that the client was sent
   */
  static PrivateReplayPhase nextChange(PhaseMachine.Context context, Revision at, Position sent) {
    return new PrivateReplayPhase(context, at, sent, null);
  }

  /**
   * Returns the phase of a stream whose client has reached a position after {@code at}, on another
   * replica or by a proof.
   */
  static PrivateReplayPhase fromProvenPosition(
      PhaseMachine.Context context, Revision at, Position reached) {
    return new PrivateReplayPhase(
        context, at, reached, new ClientVersion(reached.version(), reached.digest()));
  }

  /**
   * Returns the phase of a stream whose client has a version after {@code at} from the apiserver.
   * Asks whether the apiserver has that version, unless this is known: after a restore the
   * apiserver may not have it, and the stream would be silent until it does. For most versions a
   * proof of freshness gives the answer and leaves the reflector's watch alone; a look-up would
   * start that watch again.
   */
  static PrivateReplayPhase fromApiserverVersion(
      PhaseMachine.Context context, Revision at, ResourceVersion version) {
    PrivateReplayPhase phase =
        new PrivateReplayPhase(
            context, at, new Position(version, at.digest()), new ClientVersion(version, null));
    if (!context.cache().proofs().hasReached(version)) {
      var _ =
          context
              .cache()
              .proveFresh()
              .thenAccept(proof -> context.stream().execute(() -> phase.onProof(proof, version)));
    }
    return phase;
  }

  private void onProof(Freshness proof, ResourceVersion version) {
    boolean known =
        context.cache().proofs().hasReached(version)
            || (proof instanceof Freshness.Proven(ResourceVersion at) && !version.isAfter(at));
    if (!known && clientVersion != null) {
      var _ = upstream.lookUp(version);
    }
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.REPLAY;
  }

  @Override
  public @Nullable Phase advance() {
    ClientVersion target = clientVersion;
    if (target != null && upstream.isBefore(target.version())) {
      return context.lagPolicy().onHistoryLost();
    }
    for (int i = 0; i < MAX_REVISIONS_PER_RUN; i++) {
      Revision next = at.next();
      if (next == null) {
        return at.isTrimmed() ? lagged() : context.endOfCache();
      }
      Phase other = processRevision(next);
      if (other != null) {
        return other;
      }
    }
    return this;
  }

  /** Processes the next revision. Returns the phase that follows, or null. */
  private @Nullable Phase processRevision(Revision next) {
    ClientVersion target = clientVersion;
    if (target != null) {
      if (next.kind() != Revision.Kind.HISTORY_LOST && !next.version().isAfter(target.version())) {
        at = next;
        lookUpIfDifferent(next, target);
        return null;
      }
      clientVersion = null;
      // The state at that version must equal the state of the client.
      return target.canBeStateOf(at)
          ? new CatchUpPhase(context, at, sent)
          : clientVersionPassed(next);
    }
    return switch (next.kind()) {
      case PROGRESS -> {
        at = next;
        yield null;
      }
      case RELIST, HISTORY_LOST -> new CatchUpPhase(context, at, sent);
      case CHANGES -> changes(next);
    };
  }

  /**
   * Looks up the version of the apiserver if the digests differ before that version. Changes there
   * are either known to the client or of another timeline. After a restore the apiserver must first
   * reach that version again, and without the look-up this stream would be silent until then.
   */
  private void lookUpIfDifferent(Revision next, ClientVersion target) {
    if (!target.canBeStateOf(next)) {
      upstream.retryIfUnknown();
      var _ = upstream.lookUp(target.version());
    }
  }

  private Phase clientVersionPassed(Revision next) {
    if (next.kind() != Revision.Kind.RELIST) {
      return context.lagPolicy().onHistoryLost();
    }
    // The gateway listed again across that version and never saw the state there: nothing is
    // proven.
    return context.lagPolicy().onGapAround(at);
  }

  private @Nullable Phase changes(Revision next) {
    List<Change> changes = next.changes();
    if (changes.isEmpty()) {
      return lagged(); // trimmed since it was read
    }
    ResponseWriter out = context.out();
    for (Change change : changes) {
      ByteSlices event = event(next, changes, change);
      if (event == null) {
        continue;
      }
      if (!out.fits(event)) {
        out.flush(null); // between two changes of one revision there is no position
      }
      out.add(event);
    }
    at = next;
    if (out.isEmpty()) {
      return null;
    }
    sent = Position.of(next);
    out.flush(sent);
    return new CatchUpPhase(context, next, sent);
  }

  private @Nullable ByteSlices event(Revision revision, List<Change> all, Change change) {
    EventEncoder encoder = context.feed().encoder().withFullChanges();
    ByteSlices event = event(encoder, revision, all, change);
    return event == null || event.size() <= context.out().maxEventBytes()
        ? event
        : event(encoder.omittingBodies(), revision, all, change);
  }

  private @Nullable ByteSlices event(
      EventEncoder encoder, Revision revision, List<Change> all, Change change) {
    CompiledSelection selection = context.feed().selection();
    KubeObject old = change.old();
    KubeObject now = change.now();
    boolean before = old != null && selection.matches(old);
    boolean after = now != null && selection.matches(now);
    return before || after
        ? new ChangeEncoder(encoder).event(revision, all, change, before, after).event()
        : null;
  }

  private Phase lagged() {
    ClientVersion target = clientVersion;
    if (target == null) {
      return new CatchUpPhase(context, at, sent);
    }
    Revision head = context.head();
    if (!head.isSameHistoryAs(at)) {
      return context.lagPolicy().onHistoryLost();
    }
    if (!head.version().isAfter(target.version())) {
      at = head;
      return this;
    }
    clientVersion = null;
    if (target.canBeStateOf(at)) {
      return new CatchUpPhase(context, at, sent);
    }
    return context.lagPolicy().onUnreachable(at, StreamErrors.STATE_NEVER_SEEN);
  }

  @Override
  public Position position() {
    return sent;
  }

  @Override
  public Revision pinnedRevision() {
    return at;
  }

  @Override
  public Phase afterPinLoss() {
    Phase next = lagged();
    return next instanceof CatchUpPhase behind ? behind.afterPinLoss() : next;
  }

  @Override
  public boolean listensToCache() {
    return true;
  }
}
