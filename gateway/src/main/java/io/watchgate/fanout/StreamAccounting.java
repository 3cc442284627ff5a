package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * What one stream holds of what all share: bytes in the transport, a state behind history. Used by
 * one owner.
 */
final class StreamAccounting {
  private final OutboundBytes outbound;
  private final PinnedRevisions roots;

  /** Of {@link OutboundBytes}, while the transport takes no more. */
  private long waiting;

  /** The same, of a stream that ended. */
  private long left;

  private @Nullable Revision root;

  StreamAccounting(OutboundBytes outbound, PinnedRevisions roots) {
    this.outbound = outbound;
    this.roots = roots;
  }

  /** How much too much all streams together, or those of its user, have in the transport. */
  OutboundBytes.Pressure pressure() {
    return outbound.pressure();
  }

  /** The transport takes no more after a response of so many bytes. */
  void blocked(long lastResponse) {
    if (waiting == 0) {
      waiting = outbound.charge(lastResponse);
    }
  }

  /** The transport takes more: what was charged has left. */
  void ready() {
    if (waiting != 0) {
      outbound.release(waiting);
      waiting = 0;
    }
  }

  boolean mayStandOn(Revision standing) {
    return roots.mayStandOn(standing);
  }

  /** The stream stands there: behind history it is one of few, and known. */
  void standsOn(@Nullable Revision standing) {
    if (root != null && !root.equals(standing)) {
      stepsOff();
    }
    if (standing != null && standing.trimmed() && root == null) {
      root = standing;
      roots.hold(standing);
    }
  }

  /** It stands there no more. */
  void stepsOff() {
    Revision held = root;
    if (held != null) {
      root = null;
      roots.release(held);
    }
  }

  /**
   * The stream ended. Its transport may hold what waits for long yet, since it sends that before
   * the end: its user's others go on to be charged for it, and nobody else's.
   */
  void ended() {
    stepsOff();
    outbound.releaseOfAll(waiting);
    left += waiting;
    waiting = 0;
  }

  /** The transport has let go of the stream. */
  void giveBack() {
    ready();
    stepsOff();
    outbound.releaseOfOne(left);
    left = 0;
  }
}
