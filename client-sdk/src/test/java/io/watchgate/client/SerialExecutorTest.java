package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** An owner of one watch, on an executor that is not always there. */
final class SerialExecutorTest {
  private boolean isFull = true;
  private final List<String> done = new ArrayList<>();
  private final SerialExecutor owner =
      new SerialExecutor(
          task -> {
            if (isFull) {
              throw new RejectedExecutionException("on purpose");
            }
            task.run();
          });

  @Test
  void whatAnExecutorRefusedIsDoneBeforeWhatComesNext() {
    assertThatThrownBy(() -> owner.execute(() -> done.add("first")))
        .isInstanceOf(RejectedExecutionException.class);
    isFull = false;
    owner.execute(() -> done.add("second"));
    assertThat(done).containsExactly("first", "second");
  }
}
