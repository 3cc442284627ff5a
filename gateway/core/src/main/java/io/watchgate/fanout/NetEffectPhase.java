package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.Position;
import io.watchgate.error.StreamErrors;
import io.watchgate.fanout.SharedChunks.Chunk;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.NetEffectStarted;
import org.jspecify.annotations.Nullable;

/**
 * Phase that sends the difference between the state that the client has and a later one, instead of
 * the changes between them. It is a sequence of events that ends with a position. The start is
 * announced, except to conflating streams, which requested net effects.
 */
final class NetEffectPhase implements Phase {
  private final PhaseMachine.Context context;
  private final Revision from;
  private final Revision target;
  private final NetEffectReason reason;
  private @Nullable ChunkReader reader;

  NetEffectPhase(
      PhaseMachine.Context context, Revision from, Revision target, NetEffectReason reason) {
    this.context = context;
    this.from = from;
    this.target = target;
    this.reason = reason;
  }

  /** Returns the reason for a net effect between two revisions. */
  static NetEffectReason reason(Revision from, Revision target) {
    return target.hasGapSince(from)
        ? NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP
        : NetEffectReason.NET_EFFECT_REASON_LAG;
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.NET_EFFECT;
  }

  @Override
  public @Nullable Phase advance() {
    ChunkReader chunks = reader;
    if (chunks == null) {
      chunks = open();
      reader = chunks;
      if (context.lagPolicy().shouldAnnounceNetEffects()) {
        announce();
        return this;
      }
    }
    if (!chunks.sendNext()) {
      return this;
    }
    chunks.finish(Position.of(target), response -> {});
    return CatchUpPhase.from(context, target);
  }

  private ChunkReader open() {
    Feed feed = context.feed();
    if (context.out().maxEventBytes() >= FanoutSettings.MAX_CHUNK_BYTES) {
      SharedNetEffect shared = feed.getOrCreateNetEffect(from, target, reason);
      Chunk start = shared.start();
      if (start != null) {
        return new ChunkReader(context, shared, start);
      }
    }
    return ChunkReader.unshared(
        context, new SharedNetEffect(feed, from, target, reason, context.out().targetBytes()));
  }

  private void announce() {
    context.metrics().netEffectStarted(context.type(), reason);
    long replaced =
        reason == NetEffectReason.NET_EFFECT_REASON_LAG ? target.events() - from.events() : 0;
    context
        .out()
        .signal(
            null,
            response ->
                response.setNetEffectStarted(
                    NetEffectStarted.newBuilder().setReason(reason).setEventsReplaced(replaced)));
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public boolean isBehind() {
    return true;
  }

  @Override
  public @Nullable Revision pinnedRevision() {
    return from;
  }

  /**
   * Returns the phase after the pin was revoked. A net effect of which nothing was sent can be
   * replaced; a started one cannot be repaired.
   */
  @Override
  public Phase afterPinLoss() {
    return reader == null
        ? context.lagPolicy().onUnreachable(from, StreamErrors.TOO_MUCH_CHANGED)
        : LaggardPolicy.onStateReleased();
  }

  @Override
  public void leave() {
    if (reader != null) {
      reader.close();
    }
  }
}
