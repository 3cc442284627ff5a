package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that a task never runs twice at the same time, and that no request is lost. */
final class SerialTaskTest {
  private static final int ROUNDS = 20_000;
  private static final int ASKING = 3;

  @Test
  void requestsDuringARun_leadToOneMoreRun() {
    ManualExecutor executor = new ManualExecutor();
    AtomicInteger runs = new AtomicInteger();
    List<SerialTask> self = new ArrayList<>();
    SerialTask task =
        new SerialTask(
            executor,
            () -> {
              if (runs.incrementAndGet() == 1) {
                self.getFirst().schedule();
                self.getFirst().schedule();
              }
              return false;
            });
    self.add(task);
    task.schedule();
    task.schedule();
    assertThat(executor.waiting()).isEqualTo(1);
    executor.runAll();

    assertThat(runs).hasValue(2);
    task.schedule();
    executor.runAll();
    assertThat(runs).hasValue(3);
  }

  @Test
  void taskWithMoreWork_isQueuedBehindOthers() {
    ManualExecutor executor = new ManualExecutor();
    List<String> order = new ArrayList<>();
    SerialTask task =
        new SerialTask(
            executor,
            () -> {
              order.add("piece");
              return order.size() < 4;
            });
    task.schedule();
    executor.execute(() -> order.add("other"));
    executor.runAll();
    assertThat(order).containsExactly("piece", "other", "piece", "piece");
  }

  @Test
  void failedPiece_doesNotEndTheTask() {
    ManualExecutor executor = new ManualExecutor();
    AtomicInteger runs = new AtomicInteger();
    SerialTask task =
        new SerialTask(
            executor,
            () -> {
              if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
              }
              return false;
            });
    task.schedule();
    assertThatThrownBy(executor::runAll).hasMessage("on purpose");
    task.schedule();
    executor.runAll();
    assertThat(runs).hasValue(2);
  }

  /** Each thread writes, then requests a run; the last run must see all writes. */
  @Test
  void request_isSeenByALaterRun() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    ExecutorService asking = Executors.newFixedThreadPool(ASKING);
    try {
      AtomicInteger written = new AtomicInteger();
      AtomicInteger seen = new AtomicInteger();
      AtomicBoolean running = new AtomicBoolean();
      AtomicBoolean twice = new AtomicBoolean();
      SerialTask task =
          new SerialTask(
              pool,
              () -> {
                if (!running.compareAndSet(false, true)) {
                  twice.set(true);
                }
                int now = written.get();
                boolean more = now % 7 == 0 && now != seen.get();
                seen.set(now);
                running.set(false);
                return more;
              });
      CyclicBarrier together = new CyclicBarrier(ASKING);
      List<Future<?>> threads = new ArrayList<>();
      for (int i = 0; i < ASKING; i++) {
        threads.add(
            asking.submit(
                () -> {
                  for (int round = 0; round < ROUNDS; round++) {
                    if (round % 100 == 0) {
                      together.await();
                    }
                    written.incrementAndGet();
                    task.schedule();
                  }
                  return null;
                }));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
      await().until(() -> seen.get() == ROUNDS * ASKING);
      assertThat(twice).isFalse();
    } finally {
      asking.shutdown();
      pool.shutdown();
    }
  }
}
