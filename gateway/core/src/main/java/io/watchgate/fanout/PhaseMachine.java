package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.SnapshotReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one stream. Holds the current {@link Phase}. On a transition it updates the
 * stream's registration for changes of the cache and the revision that it pins. Used by one event
 * loop; only {@link #phase} may be called on any thread.
 */
final class PhaseMachine {
  /** Phases of streams that hold nothing any more, by the activity before their end. */
  private static final Map<StreamState.Activity, Phase> OVER =
      new EnumMap<>(
          Stream.of(StreamState.Activity.values())
              .collect(
                  Collectors.toMap(
                      Function.identity(),
                      activity -> new Phase.Ended(StreamErrors.ended(), activity))));

  private final Context context;

  /** Null while the phase keeps no revision alive, as that of an idle stream. */
  private PinnedRevisions.@Nullable Pin pin;

  private Phase phase;
  private @Nullable CacheStreamSet cacheStreams;

  /** Objects that the phases of one stream share: its settings, its sources and its output. */
  // Eight components: each is used by several phases, and none belongs to another.
  record Context(
      SubscribedStream stream,
      WatchCache cache,
      RouterRegistry.Lease lease,
      UserResources userResources,
      StreamOptions settings,
      ResponseWriter out,
      TimeSource time,
      FanoutMetrics metrics) {
    ChangeRouter router() {
      return lease.router();
    }

    Feed feed() {
      return lease.feed();
    }

    ApiResource type() {
      return cache.definition().type();
    }

    /** Returns the newest revision. Callers must know that there is one. */
    Revision head() {
      return Objects.requireNonNull(cache.head(), "the cache has no head");
    }

    /** Returns the end of the stream if the cache has ended; null otherwise. */
    @Nullable Phase endOfCache() {
      UpstreamState upstream = cache.upstreamState();
      return upstream.phase().isEnd() ? new Phase.Ended(CacheErrors.of(type(), upstream)) : null;
    }

    /**
     * Returns the phase of a stream that cannot continue from its position: a snapshot, or the end
     * if the client chose the policy FAIL.
     */
    Phase expired(SnapshotReason reason, String message) {
      if (settings.expiredPositionPolicy() == ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL) {
        ErrorReason error =
            reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
                ? ErrorReason.ERROR_REASON_POSITION_EXPIRED
                : ErrorReason.ERROR_REASON_HISTORY_LOST;
        return new Phase.Ended(StreamErrors.positionExpired(error, message));
      }
      return new SnapshotPhase(this, reason);
    }

    Phase expired(String message) {
      return expired(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, message);
    }

    /** Returns the policy for this stream when it lags. */
    LaggardPolicy lagPolicy() {
      return new LaggardPolicy(this);
    }
  }

  /**
   * @param phase initial phase
   */
  PhaseMachine(Context context, Phase phase) {
    this.context = context;
    this.phase = phase;
  }

  Context context() {
    return context;
  }

  Phase phase() {
    return phase;
  }

  /** See {@link Context#endOfCache}. */
  @Nullable Phase endOfCache() {
    return context.endOfCache();
  }

  /** Returns whether the stream follows its feed and has at most the newest frame left to send. */
  boolean isKeepingUp() {
    return phase instanceof LivePhase && !phase.isBehind();
  }

  /** Returns whether the stream may end here: at a position, or before its first response. */
  boolean canLeave() {
    return phase.position() != null || phase instanceof StartPhase;
  }

  /** Returns the streams of the cache that the stream has joined; null before it is open. */
  @Nullable CacheStreamSet cacheStreams() {
    return cacheStreams;
  }

  /** Sets the streams of the cache that the stream has joined, and listens to the cache. */
  void join(CacheStreamSet others) {
    cacheStreams = others;
    others.listen(context.stream());
  }

  /** Changes to another phase; does nothing if it is the current one. */
  void enter(Phase next) {
    if (next.equals(phase)) {
      return;
    }
    Phase last = phase;
    phase = next instanceof Phase.Ended end ? end.after(last) : next;
    last.leave();
    releasePin();
    CacheStreamSet joined = cacheStreams;
    if (joined != null && last.listensToCache() != next.listensToCache()) {
      if (next.listensToCache()) {
        joined.listen(context.stream());
      } else {
        joined.unlisten(context.stream());
      }
    }
    enforcePin();
  }

  /** Changes the phase if the revision of the current one may no longer be pinned. */
  void enforcePin() {
    Revision base = phase.pinnedRevision();
    if (base != null && !pinnedRevisions().canPin(base)) {
      enter(phase.afterPinLoss());
    }
  }

  /** Pins the revision that the current phase keeps alive. */
  void updatePin() {
    Revision base = phase.pinnedRevision();
    if (pin == null && base != null) {
      pin = pinnedRevisions().new Pin();
    }
    if (pin != null) {
      pin.moveTo(base);
    }
    enforcePin();
  }

  private PinnedRevisions pinnedRevisions() {
    return context.router().pinnedRevisions();
  }

  /**
   * Ends the current phase and releases its revision and its frames. The stream object itself may
   * stay for long, until its client has read the bytes in the transport.
   */
  void end() {
    Phase last = phase;
    last.leave();
    phase = Objects.requireNonNull(OVER.get(last.lastActivity()), "an activity without its end");
    releasePin();
  }

  private void releasePin() {
    PinnedRevisions.Pin held = pin;
    if (held != null) {
      held.release();
      pin = null;
    }
  }
}
