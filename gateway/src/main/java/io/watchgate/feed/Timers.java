package io.watchgate.feed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one stream has to do later. Used by one owner. */
final class Timers {
  private final Wheel wheel;
  private final List<Wheel.Timer> pending = new ArrayList<>(2);

  Timers(Wheel wheel) {
    this.wheel = wheel;
  }

  /** Not before the delay is over. */
  void after(Duration delay, Runnable task) {
    add(wheel.after(delay, task));
  }

  /** Not later than that. */
  void within(Duration delay, Runnable task) {
    add(wheel.within(delay, task));
  }

  private void add(Wheel.Timer timer) {
    pending.removeIf(Wheel.Timer::isDone);
    pending.add(timer);
  }

  void cancel() {
    pending.forEach(Wheel.Timer::cancel);
    pending.clear();
  }
}
