package io.watchgate.feed;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The two waits of {@link FeedSettings} before a stream begins. Each is started by the first who
 * asks whether it is over. Used by one subscription, on its owner.
 */
final class StartWaits {
  private final FeedSettings settings;
  private final BiConsumer<Duration, Runnable> timer;
  private final Runnable whenOver;
  private @Nullable Wait position;
  private @Nullable Wait loading;

  private static final class Wait {
    boolean over;
  }

  /**
   * @param timer runs a task after a delay, on the owner
   * @param whenOver is run when a wait that was asked for is over
   */
  StartWaits(FeedSettings settings, BiConsumer<Duration, Runnable> timer, Runnable whenOver) {
    this.settings = settings;
    this.timer = timer;
    this.whenOver = whenOver;
  }

  boolean positionWaitIsOver() {
    Wait wait = position;
    if (wait == null) {
      wait = begin(settings.positionWait());
      position = wait;
    }
    return wait.over;
  }

  boolean loadingPatienceIsOver() {
    Wait wait = loading;
    if (wait == null) {
      wait = begin(settings.loadingPatience());
      loading = wait;
    }
    return wait.over;
  }

  private Wait begin(Duration duration) {
    Wait wait = new Wait();
    timer.accept(
        duration,
        () -> {
          wait.over = true;
          whenOver.run();
        });
    return wait;
  }
}
