package io.watchgate.fanout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one stream has to do later. Used by one owner. */
final class StreamTimers {
  private final TimerWheel wheel;
  private final List<TimerWheel.Timer> pending = new ArrayList<>(2);

  StreamTimers(TimerWheel wheel) {
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

  private void add(TimerWheel.Timer timer) {
    pending.removeIf(TimerWheel.Timer::isDone);
    pending.add(timer);
  }

  void cancel() {
    pending.forEach(TimerWheel.Timer::cancel);
    pending.clear();
  }
}
