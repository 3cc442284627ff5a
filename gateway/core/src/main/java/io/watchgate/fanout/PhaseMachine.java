package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.error.StreamErrors;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one stream. Holds the current {@link Phase}. On a transition it updates the
 * stream's subscription to changes of the cache and the stream's accounting. Used by one event
 * loop.
 */
final class PhaseMachine {
  private static final Phase OVER = new Phase.Ended(StreamErrors.ended());

  private final SubscriptionTask stream;
  private final StreamAccounting accounting;
  private Phase phase;
  private @Nullable CacheSubscribers subscribers;

  /**
   * @param first initial phase
   */
  PhaseMachine(SubscriptionTask stream, StreamAccounting charges, Phase first) {
    this.stream = stream;
    this.accounting = charges;
    this.phase = first;
  }

  Phase phase() {
    return phase;
  }

  /** Returns the subscribers that the stream has joined; null before it is open. */
  @Nullable CacheSubscribers subscribers() {
    return subscribers;
  }

  /** Sets the subscribers that the stream has joined, and listens to the cache. */
  void join(CacheSubscribers others) {
    subscribers = others;
    others.listen(stream);
  }

  LoopFollowers follow(Feed feed, LivePhase following) {
    return Objects.requireNonNull(subscribers, "not open").follow(feed, following);
  }

  void unfollow(LoopFollowers group, LivePhase following) {
    Objects.requireNonNull(subscribers, "not open").unfollow(group, following);
  }

  /** Changes to another phase; does nothing if it is the current one. */
  void enter(Phase next) {
    if (next.equals(phase)) {
      return;
    }
    Phase last = phase;
    phase = next;
    last.leave();
    accounting.unpin();
    CacheSubscribers joined = subscribers;
    if (joined != null && last.listensToCache() != next.listensToCache()) {
      if (next.listensToCache()) {
        joined.listen(stream);
      } else {
        joined.unlisten(stream);
      }
    }
    enforcePin();
  }

  /** Changes the phase if the revision of the current one may no longer be pinned. */
  void enforcePin() {
    Revision standing = phase.pinnedRevision();
    if (standing != null && !accounting.canPin(standing)) {
      enter(phase.releasePin());
    }
  }

  /** Accounts for the revision that the current phase keeps alive. */
  void updatePin() {
    accounting.pin(phase.pinnedRevision());
    enforcePin();
  }

  /** Returns {@link StreamAccounting#pressure}. */
  OutboundBytes.Pressure pressure() {
    return accounting.pressure();
  }

  /**
   * Ends the current phase and releases its revision and its frames. The stream object itself may
   * stay for long, until its client has read the bytes in the transport.
   */
  void end() {
    phase.leave();
    phase = OVER;
    accounting.end();
  }

  /**
   * Releases all charges after the transport has closed the stream: {@link
   * StreamAccounting#releaseAll}.
   */
  void releaseCharges() {
    accounting.releaseAll();
  }
}
