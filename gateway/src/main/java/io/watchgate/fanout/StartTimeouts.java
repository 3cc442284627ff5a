package io.watchgate.fanout;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Timeouts of {@link FanoutSettings} before a stream begins. A timeout starts when it is first
 * queried. Used by one subscription, on its event loop.
 */
final class StartTimeouts {
  private final BiConsumer<Duration, Runnable> timer;
  private final Runnable whenOver;
  private final Wait position;
  private final Wait look;
  private final Wait loading;
  private final Wait past;

  /**
   * @param timer runs a task after a delay, on the event loop
   * @param whenOver runs when a timeout has passed that was queried
   */
  StartTimeouts(FanoutSettings settings, BiConsumer<Duration, Runnable> timer, Runnable whenOver) {
    this.timer = timer;
    this.whenOver = whenOver;
    this.position = new Wait(settings.positionWait());
    this.look = new Wait(settings.lookWait());
    this.loading = new Wait(settings.loadingPatience());
    this.past = new Wait(settings.pastWait());
  }

  private final class Wait {
    private final Duration duration;
    private boolean begun;
    private boolean over;

    Wait(Duration duration) {
      this.duration = duration;
    }

    boolean isOver() {
      if (!begun) {
        begun = true;
        timer.accept(
            duration,
            () -> {
              over = true;
              whenOver.run();
            });
      }
      return over;
    }
  }

  boolean positionWaitIsOver() {
    return position.isOver();
  }

  boolean lookIsOver() {
    return look.isOver();
  }

  boolean loadingPatienceIsOver() {
    return loading.isOver();
  }

  boolean pastWaitIsOver() {
    return past.isOver();
  }
}
