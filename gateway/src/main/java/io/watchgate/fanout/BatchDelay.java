package io.watchgate.fanout;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Lets changes wait for company, {@code max_batch_delay} from the first of them. Used by one
 * subscription, on its owner.
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
   * @param delay not zero
   * @param timer runs a task after a delay, on the owner
   * @param whenDue is run when what waits is to be sent
   */
  BatchDelay(Duration delay, BiConsumer<Duration, Runnable> timer, Runnable whenDue) {
    this.delay = delay;
    this.timer = timer;
    this.whenDue = whenDue;
  }

  /** Whether there is nothing to send yet: no news, or they wait. */
  boolean holdsBack(LivePhase following) {
    if (state == State.EMPTY && following.hasNews()) {
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

  /** All that there was has been sent. */
  void sent() {
    state = State.EMPTY;
  }
}
