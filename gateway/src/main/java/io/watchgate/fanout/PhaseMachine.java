package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.proto.v1.ErrorReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a stream is at, and what changes when it comes to be at something else: whom the owner has
 * to tell, and what the stream is charged for. On its owner.
 */
final class PhaseMachine {
  private static final Phase OVER =
      new Phase.Ended(ApiError.of(ErrorReason.ERROR_REASON_UNSPECIFIED, "this stream has ended"));

  private final SubscriptionTask stream;
  private final StreamAccounting charges;
  private Phase phase;
  private @Nullable CacheSubscribers readers;

  /**
   * @param first that nothing came before
   */
  PhaseMachine(SubscriptionTask stream, StreamAccounting charges, Phase first) {
    this.stream = stream;
    this.charges = charges;
    this.phase = first;
  }

  Phase phase() {
    return phase;
  }

  /** Those of the owner that the stream is one of; null before it is open. */
  @Nullable CacheSubscribers readers() {
    return readers;
  }

  /** The stream is one of them now. */
  void join(CacheSubscribers others) {
    readers = others;
    others.listen(stream);
  }

  LoopFollowers follow(Feed feed, LivePhase following) {
    return Objects.requireNonNull(readers, "not open").follow(feed, following);
  }

  void unfollow(LoopFollowers group, LivePhase following) {
    Objects.requireNonNull(readers, "not open").unfollow(group, following);
  }

  /** Is at that now, unless it is already. */
  void enter(Phase next) {
    if (next.equals(phase)) {
      return;
    }
    Phase last = phase;
    phase = next;
    last.leave();
    charges.stepsOff();
    CacheSubscribers joined = readers;
    if (joined != null && last.listens() != next.listens()) {
      if (next.listens()) {
        joined.listen(stream);
      } else {
        joined.unlisten(stream);
      }
    }
    letGo();
  }

  /** What the phase stands on may have become more than anybody may keep. */
  void letGo() {
    Revision standing = phase.standing();
    if (standing != null && !charges.mayStandOn(standing)) {
      enter(phase.letGo());
    }
  }

  /** What it keeps alive now is accounted for. */
  void settle() {
    charges.standsOn(phase.standing());
    letGo();
  }

  /** How much too much waits in the transport: {@link StreamAccounting#pressure}. */
  OutboundBytes.Pressure pressure() {
    return charges.pressure();
  }

  /**
   * It is at nothing any more, and keeps no state and no frame alive: until its client has read
   * what the transport has, which may take long, the stream itself stays.
   */
  void end() {
    phase.leave();
    phase = OVER;
    charges.ended();
  }

  /** The transport has let go of the stream: {@link StreamAccounting#giveBack}. */
  void giveBack() {
    charges.giveBack();
  }
}
