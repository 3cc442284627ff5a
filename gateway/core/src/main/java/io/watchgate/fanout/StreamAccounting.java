package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * Use of shared resources by one stream: bytes in the transport, and a pinned revision behind
 * history. Used by one event loop.
 */
final class StreamAccounting {
  private final OutboundBytes outbound;
  private final PinnedRevisions pinnedRevisions;

  /** Charge of {@link OutboundBytes} while the transport is not ready. */
  private long charge;

  /** Charge that remains after the stream has ended. */
  private long chargeAfterEnd;

  private @Nullable Revision pinned;

  StreamAccounting(OutboundBytes outbound, PinnedRevisions roots) {
    this.outbound = outbound;
    this.pinnedRevisions = roots;
  }

  /** Returns the pressure of outbound bytes: of all streams or of the user, whichever is higher. */
  OutboundBytes.Pressure pressure() {
    return outbound.pressure();
  }

  /**
   * Charges the stream after a response of {@code lastResponse} bytes: the transport is not ready.
   */
  void markBlocked(long lastResponse) {
    if (charge == 0) {
      charge = outbound.charge(lastResponse);
    }
  }

  /** Releases the charge: the transport is ready, so the queued bytes were sent. */
  void markReady() {
    if (charge != 0) {
      outbound.release(charge);
      charge = 0;
    }
  }

  boolean canPin(Revision standing) {
    return pinnedRevisions.canPin(standing);
  }

  /** Accounts for the revision that the stream keeps alive; pins it if it is behind history. */
  void pin(@Nullable Revision standing) {
    if (pinned != null && !pinned.equals(standing)) {
      unpin();
    }
    if (standing != null && standing.isTrimmed() && pinned == null) {
      pinned = standing;
      pinnedRevisions.pin(standing);
    }
  }

  /** Releases the pinned revision. */
  void unpin() {
    Revision held = pinned;
    if (held != null) {
      pinned = null;
      pinnedRevisions.release(held);
    }
  }

  /**
   * Ends the stream. Its transport may keep the queued bytes for long, because it sends them before
   * the end. Until then they are charged to the user's other streams, and to no other user.
   */
  void end() {
    unpin();
    outbound.releaseShared(charge);
    chargeAfterEnd += charge;
    charge = 0;
  }

  /** Releases all charges: the transport has closed the stream. */
  void releaseAll() {
    markReady();
    unpin();
    outbound.releaseOwn(chargeAfterEnd);
    chargeAfterEnd = 0;
  }
}
