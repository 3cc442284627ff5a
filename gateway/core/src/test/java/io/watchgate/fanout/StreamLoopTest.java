package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the order in which an event loop runs its tasks. */
final class StreamLoopTest {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Queue<Runnable> thread = new ArrayDeque<>();
  private final StreamLoop loop =
      new StreamLoop(0, thread::add, timer, TimeSource.SYSTEM, FanoutMetrics.NONE);
  private final List<Integer> done = new ArrayList<>();

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  @Test
  void thousandTasks_doNotDelayADelivery() {
    for (int i = 0; i < 5_000; i++) {
      int number = i;
      loop.execute(() -> done.add(number));
    }
    loop.deliveries().add(List.of());
    assertThat(thread).hasSize(2);
    thread.remove().run();
    assertThat(done).hasSizeLessThan(100);
    thread.remove().run(); // the delivery
    runAll();
    assertThat(done).isEqualTo(IntStream.range(0, 5_000).boxed().toList());
  }

  @Test
  void taskQueuedByATask_runsAfterADelivery() {
    loop.execute(
        () -> {
          done.add(1);
          loop.execute(() -> done.add(2));
        });
    thread.remove().run();
    assertThat(done).containsExactly(1);
    runAll();
    assertThat(done).containsExactly(1, 2);
  }

  @Test
  void failedTask_doesNotStopOthers() {
    loop.execute(
        () -> {
          throw new StackOverflowError("of a stream");
        });
    loop.execute(() -> done.add(2));
    assertThatThrownBy(() -> thread.remove().run()).isInstanceOf(StackOverflowError.class);
    runAll();
    assertThat(done).containsExactly(2);
  }

  private void runAll() {
    for (Runnable next = thread.poll(); next != null; next = thread.poll()) {
      next.run();
    }
  }
}
