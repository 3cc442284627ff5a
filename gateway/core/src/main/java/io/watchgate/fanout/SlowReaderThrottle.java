package io.watchgate.fanout;

/**
 * Throttle of a slow stream to one response per tick while too many bytes are queued in the
 * transport, of all streams or of the user. It applies to a stream that has stalled, until the
 * stream has provably read again. Streams that read, or have just started, are not throttled. A
 * stream that keeps up is sent each event anyway, so throttling it would save nothing. Used by one
 * subscription, on its event loop.
 */
final class SlowReaderThrottle {
  private final StreamAccounting accounting;
  private final StallDetector stallDetector;
  private final Runnable scheduleRun;
  private Turn turn = Turn.NONE;

  private enum Turn {
    NONE,
    AWAITED,
    GIVEN
  }

  /**
   * @param laterTurn schedules a run of the stream at the next tick, after a call of {@link
   *     #allowOne}
   */
  SlowReaderThrottle(StreamAccounting charges, StallDetector patience, Runnable laterTurn) {
    this.accounting = charges;
    this.stallDetector = patience;
    this.scheduleRun = laterTurn;
  }

  /** Returns whether the next response must wait; called before each response. */
  boolean shouldWait(Phase phase, long sentBytes) {
    if (!phase.isBehind()
        || !stallDetector.isSuspect(sentBytes)
        || accounting.pressure() == OutboundBytes.Pressure.NONE) {
      return false;
    }
    return switch (turn) {
      case GIVEN -> {
        turn = Turn.NONE;
        yield false;
      }
      case NONE -> {
        turn = Turn.AWAITED;
        scheduleRun.run();
        yield true;
      }
      case AWAITED -> true;
    };
  }

  /** Allows one response. */
  void allowOne() {
    turn = Turn.GIVEN;
  }
}
