package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Order and isolation of what follows the writes of a task. */
final class WriteBatchTest {
  private final WriteBatch batch = new WriteBatch();
  private final List<String> done = new ArrayList<>();
  private final Executor loop = _ -> done.add("given to the loop");

  @Test
  void completionOfATask_followsTheTask() {
    batch.run(
        () -> {
          batch.completed(() -> done.add("completion"), loop);
          done.add("task");
        });
    assertThat(done).containsExactly("task", "completion");
  }

  @Test
  void failedCompletion_doesNotKeepTheOthersBack() {
    batch.run(
        () -> {
          batch.completed(
              () -> {
                throw new IllegalStateException("of one watch");
              },
              loop);
          batch.completed(() -> done.add("of another watch"), loop);
          throw new IllegalStateException("of the task");
        });
    assertThat(done).containsExactly("of another watch");
  }

  @Test
  void completionOutsideOfATask_isGivenToTheLoop() {
    batch.completed(() -> done.add("completion"), loop);
    assertThat(done).containsExactly("given to the loop");
  }
}
