package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Tests of a serial executor on an executor that rejects tasks at times. */
final class SerialExecutorTest {
  private final ManualTimers timers = new ManualTimers();
  private boolean isFull = true;
  private final List<String> done = new ArrayList<>();
  private final SerialExecutor owner =
      new SerialExecutor(
          task -> {
            if (isFull) {
              throw new RejectedExecutionException("on purpose");
            }
            task.run();
          },
          timers);

  @Test
  void rejectedTask_runsBeforeNextTask() {
    owner.execute(() -> done.add("first"));
    assertThat(done).isEmpty();
    isFull = false;
    owner.execute(() -> done.add("second"));
    assertThat(done).containsExactly("first", "second");
  }

  @Test
  void rejectedTask_isRetriedWithoutNewTask() {
    owner.execute(() -> done.add("first"));
    timers.runNext();
    assertThat(done).isEmpty();
    isFull = false;
    timers.runNext();
    assertThat(done).containsExactly("first");
    assertThat(timers.idle()).isTrue();
  }

  @Test
  void rejectedTasks_scheduleOneTimer() {
    owner.execute(() -> done.add("first"));
    owner.execute(() -> done.add("second"));
    owner.execute(() -> done.add("third"));
    timers.runSet();
    isFull = false;
    timers.runSet();
    assertThat(done).containsExactly("first", "second", "third");
    assertThat(timers.idle()).isTrue();
  }

  @Test
  void droppedTasks_runBeforeTaskOfCaller() {
    SerialExecutor dropping = new SerialExecutor(task -> {}, timers);
    dropping.execute(() -> done.add("first"));
    dropping.execute(() -> done.add("second"));
    dropping.runHere(() -> done.add("third"));
    assertThat(done).containsExactly("first", "second", "third");
  }

  @Test
  void taskOfCaller_waitsForRunningTask() {
    isFull = false;
    owner.execute(
        () -> {
          owner.runHere(() -> done.add("second"));
          done.add("first");
        });
    assertThat(done).containsExactly("first", "second");
  }
}
