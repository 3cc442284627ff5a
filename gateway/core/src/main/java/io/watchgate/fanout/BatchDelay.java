package io.watchgate.fanout;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Delays sending to batch changes: at most {@code max_batch_delay} after the first of them. Used by
 * one subscription, on its event loop.
 */
final class BatchDelay {
  private final Duration delay;
  private final BiConsumer<Duration, Runnable> timer;
  private final Runnable whenDue;
  private State state = State.EMPTY;

  private enum State {
    EMPTY,
    COLLECTING,
    DUE
  }

  /**
   * @param delay delay after the first change of a batch; not zero
   * @param timer runs a task after a delay, on the event loop
   * @param whenDue runs when the batch must be sent
   */
  BatchDelay(Duration delay, BiConsumer<Duration, Runnable> timer, Runnable whenDue) {
    this.delay = delay;
    this.timer = timer;
    this.whenDue = whenDue;
  }

  /**
   * Returns whether nothing is to be sent yet: there are no changes, or they are being collected.
   */
  boolean shouldWait(LivePhase following) {
    if (state == State.EMPTY && following.hasUnsentEntries()) {
      state = State.COLLECTING;
      timer.accept(
          delay,
          () -> {
            state = State.DUE;
            whenDue.run();
          });
    }
    return state == State.COLLECTING;
  }

  /** Ends the batch: all pending changes were sent. */
  void sent() {
    state = State.EMPTY;
  }
}
