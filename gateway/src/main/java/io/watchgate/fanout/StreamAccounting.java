package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * Use of shared resources by one stream: bytes in the transport, and a pinned revision behind
 * history. Used by one event loop.
 */
final class StreamAccounting {
  private final OutboundBytes outbound;
  private final PinnedRevisions roots;

  /** Charge of {@link OutboundBytes} while the transport is not ready. */
  private long waiting;

  /** Charge that remains after the stream has ended. */
  private long left;

  private @Nullable Revision root;

  StreamAccounting(OutboundBytes outbound, PinnedRevisions roots) {
    this.outbound = outbound;
    this.roots = roots;
  }

  /** Returns the pressure of outbound bytes: of all streams or of the user, whichever is higher. */
  OutboundBytes.Pressure pressure() {
    return outbound.pressure();
  }

  /**
   * Charges the stream after a response of {@code lastResponse} bytes: the transport is not ready.
   */
  void blocked(long lastResponse) {
    if (waiting == 0) {
      waiting = outbound.charge(lastResponse);
    }
  }

  /** Releases the charge: the transport is ready, so the queued bytes were sent. */
  void ready() {
    if (waiting != 0) {
      outbound.release(waiting);
      waiting = 0;
    }
  }

  boolean mayStandOn(Revision standing) {
    return roots.mayStandOn(standing);
  }

  /** Accounts for the revision that the stream keeps alive; pins it if it is behind history. */
  void standsOn(@Nullable Revision standing) {
    if (root != null && !root.equals(standing)) {
      stepsOff();
    }
    if (standing != null && standing.trimmed() && root == null) {
      root = standing;
      roots.hold(standing);
    }
  }

  /** Releases the pinned revision. */
  void stepsOff() {
    Revision held = root;
    if (held != null) {
      root = null;
      roots.release(held);
    }
  }

  /**
   * Ends the stream. Its transport may keep the queued bytes for long, because it sends them before
   * the end. Until then they are charged to the user's other streams, and to no other user.
   */
  void ended() {
    stepsOff();
    outbound.releaseOfAll(waiting);
    left += waiting;
    waiting = 0;
  }

  /** Releases all charges: the transport has closed the stream. */
  void giveBack() {
    ready();
    stepsOff();
    outbound.releaseOfOne(left);
    left = 0;
  }
}
