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
  private final Wait upstreamLookup;
  private final Wait loading;
  private final Wait backfill;

  /**
   * @param timer runs a task after a delay, on the event loop
   * @param whenOver runs when a timeout has passed that was queried
   */
  StartTimeouts(FanoutSettings settings, BiConsumer<Duration, Runnable> timer, Runnable whenOver) {
    this.timer = timer;
    this.whenOver = whenOver;
    this.position = new Wait(settings.positionTimeout());
    this.upstreamLookup = new Wait(settings.upstreamLookupTimeout());
    this.loading = new Wait(settings.loadTimeout());
    this.backfill = new Wait(settings.backfillTimeout());
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

  boolean isPositionTimedOut() {
    return position.isOver();
  }

  boolean isLookupTimedOut() {
    return upstreamLookup.isOver();
  }

  boolean isLoadTimedOut() {
    return loading.isOver();
  }

  boolean isBackfillTimedOut() {
    return backfill.isOver();
  }
}
