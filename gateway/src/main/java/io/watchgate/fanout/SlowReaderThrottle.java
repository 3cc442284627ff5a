package io.watchgate.fanout;

/**
 * While too much waits in the transport, of all streams or of one user's, a stream that did not
 * read for a while gets one response a tick until it has shown that it reads. Whoever reads, or has
 * only just come, is not held up by those who do not: what it could add to what waits, it could add
 * anyway, since a stream that keeps up is sent each event. Used by one subscription, on its owner.
 */
final class SlowReaderThrottle {
  private final StreamAccounting charges;
  private final StallDetector patience;
  private final Runnable laterTurn;
  private Turn turn = Turn.NONE;

  private enum Turn {
    NONE,
    AWAITED,
    GIVEN
  }

  /**
   * @param laterTurn asks for a turn of the stream at the next tick, which {@link #give} precedes
   */
  SlowReaderThrottle(StreamAccounting charges, StallDetector patience, Runnable laterTurn) {
    this.charges = charges;
    this.patience = patience;
    this.laterTurn = laterTurn;
  }

  /** Whether the next response has to wait; asked before each. */
  boolean holdsBack(Phase phase, long sentBytes) {
    if (!phase.isBehind()
        || !patience.doubts(sentBytes)
        || charges.pressure() == OutboundBytes.Pressure.NONE) {
      return false;
    }
    return switch (turn) {
      case GIVEN -> {
        turn = Turn.NONE;
        yield false;
      }
      case NONE -> {
        turn = Turn.AWAITED;
        laterTurn.run();
        yield true;
      }
      case AWAITED -> true;
    };
  }

  /** One response may go. */
  void give() {
    turn = Turn.GIVEN;
  }
}
