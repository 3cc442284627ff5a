package io.watchgate.fanout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Timers of one stream, cancelled together. Used by one event loop. */
final class StreamTimers {
  private final TimerWheel wheel;
  private final List<TimerWheel.Timer> pending = new ArrayList<>(2);

  StreamTimers(TimerWheel wheel) {
    this.wheel = wheel;
  }

  /** Runs a task after the delay, not before. */
  void after(Duration delay, Runnable task) {
    add(wheel.after(delay, task));
  }

  /** Runs a task before the delay has passed, not after. */
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
