package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the timers of one event loop. */
final class TimerWheelTest {
  private static final long TICK = TimerWheel.TICK.toNanos();

  private final VirtualTime time = new VirtualTime();
  private final TimerWheel wheel = new TimerWheel(Runnable::run, time, time.source()::nanoTime);
  private final List<String> ran = new ArrayList<>();

  private long millis() {
    return Duration.ofNanos(time.source().nanoTime()).toMillis();
  }

  private Runnable note(String name) {
    return () -> ran.add(name + "@" + millis());
  }

  @Test
  void failedTask_doesNotStopOthers() {
    wheel.after(Duration.ofMillis(50), note("a"));
    wheel.after(
        Duration.ofMillis(50),
        () -> {
          throw new IllegalStateException("on purpose");
        });
    wheel.after(Duration.ofMillis(50), note("b"));
    wheel.after(Duration.ofMillis(150), note("c"));
    time.advance(Duration.ofSeconds(1));
    assertThat(ran).containsExactly("a@100", "b@100", "c@200");
    assertThat(wheel.waiting()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    // set at, delay, runs: not before the delay, at most one tick later
    "0, 0, 100",
    "0, 1, 100",
    "0, 100, 100",
    "0, 101, 200",
    "50, 100, 200",
    "50, 50, 100",
    "99, 1, 100",
    "99, 2, 200",
    "0, 204800, 204800",
    "30, 500000, 500100"
  })
  void afterIsNotBefore(long at, long delay, long runs) {
    time.advance(Duration.ofMillis(at));
    wheel.after(Duration.ofMillis(delay), note("a"));
    time.advance(Duration.ofMinutes(20));
    assertThat(ran).containsExactly("a@" + runs);
  }

  @ParameterizedTest
  @CsvSource({
    // set at, delay, runs: not after the delay, except for delays below one tick
    "0, 0, 100",
    "0, 99, 100",
    "0, 199, 100",
    "0, 200, 200",
    "50, 149, 100",
    "50, 150, 200",
    "0, 30000, 30000",
    "99, 30000, 30000",
    "30, 500000, 500000"
  })
  void withinIsNotLater(long at, long delay, long runs) {
    time.advance(Duration.ofMillis(at));
    wheel.within(Duration.ofMillis(delay), note("w"));
    time.advance(Duration.ofMinutes(20));
    assertThat(ran).containsExactly("w@" + runs);
  }

  @Test
  void timerCancelledInItsTick_doesNotRun() {
    List<TimerWheel.Timer> later = new ArrayList<>();
    wheel.after(Duration.ofMillis(100), () -> later.getFirst().cancel());
    later.add(wheel.after(Duration.ofMillis(100), note("cancelled")));
    wheel.after(Duration.ofMillis(100), note("last"));
    time.advance(Duration.ofSeconds(1));

    assertThat(ran).containsExactly("last@100");
    assertThat(wheel.waiting()).isZero();
  }

  @Test
  void wheelWithoutTimers_isIdle() {
    assertThat(time.waitingTasks()).isZero();
    TimerWheel.Timer timer = wheel.after(Duration.ofMinutes(1), note("never"));
    assertThat(time.waitingTasks()).isEqualTo(1);
    timer.cancel();
    timer.cancel();
    time.advance(Duration.ofMillis(200));
    assertThat(time.waitingTasks()).isZero();
    assertThat(timer.isDone()).isTrue();

    wheel.after(Duration.ofMillis(100), note("again"));
    time.advance(Duration.ofMinutes(1));
    assertThat(ran).containsExactly("again@300");
    assertThat(time.waitingTasks()).isZero();
  }

  @Test
  void timerThatSetsItselfAgain_runsOncePerTick() {
    wheel.after(Duration.ZERO, this::again);
    time.advance(Duration.ofMillis(550));
    assertThat(ran).containsExactly("x@100", "x@200", "x@300", "x@400", "x@500");
  }

  private record Set(TimerWheel.Timer timer, long due) {}

  private void again() {
    note("x").run();
    wheel.after(Duration.ZERO, this::again);
  }

  /** If the thread runs late, the timers that became due meanwhile run then, once. */
  @Test
  void randomTimers_runOnceInTime() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      ManualExecutor thread = new ManualExecutor();
      VirtualTime clock = new VirtualTime();
      TimerWheel late = new TimerWheel(thread, clock, clock.source()::nanoTime);
      List<Long> lateness = new ArrayList<>();
      List<Set> set = new ArrayList<>();
      int cancelled = 0;
      for (int i = 0; i < 200; i++) {
        switch (random.nextInt(4)) {
          case 0, 1 -> {
            long delay = random.nextInt(random.nextBoolean() ? 3_000 : 600_000) * 1_000_000L;
            long due = clock.source().nanoTime() + delay;
            Runnable task = () -> lateness.add(clock.source().nanoTime() - due);
            set.add(new Set(late.after(Duration.ofNanos(delay), task), due));
          }
          case 2 -> {
            clock.advance(
                Duration.ofMillis(random.nextInt(random.nextInt(5) == 0 ? 300_000 : 500)));
            if (random.nextBoolean()) {
              thread.runAll();
              long now = clock.source().nanoTime();
              assertThat(set)
                  .as("what is due a tick ago, seed %d", seed)
                  .noneMatch(one -> !one.timer.isDone() && one.due + TICK <= now);
            }
          }
          default -> {
            TimerWheel.Timer one = set.isEmpty() ? null : set.get(random.nextInt(set.size())).timer;
            if (one != null && !one.isDone()) {
              one.cancel();
              cancelled++;
            }
          }
        }
      }
      for (int i = 0; i < 10_000; i++) {
        clock.advance(Duration.ofMillis(100));
        thread.runAll();
      }
      assertThat(lateness).as("seed %d", seed).hasSize(set.size() - cancelled);
      assertThat(lateness).as("seed %d", seed).allMatch(nanos -> nanos >= 0);
      assertThat(late.waiting()).isZero();
    }
  }
}
