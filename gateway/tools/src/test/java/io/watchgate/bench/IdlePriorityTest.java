package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Scheduling policy of threads as reported by the kernel (proc(5): field 41 of a thread's stat).
 */
@EnabledOnOs(OS.LINUX)
final class IdlePriorityTest {
  private static final Path STAT = Path.of("/proc/thread-self/stat");
  private static final int AFTER_NAME = 41 - 3;
  private static final String SCHED_OTHER = "0";
  private static final String SCHED_IDLE = "5";

  @Test
  void task_withIdlePriority_doesNotAffectOtherThreads() {
    CompletableFuture<String> policy = new CompletableFuture<>();
    Runnable task = IdlePriority.of(() -> policy.complete(policy()));

    Thread.ofPlatform().start(task);

    assertThat(policy.join()).isEqualTo(SCHED_IDLE);
    assertThat(policy()).isEqualTo(SCHED_OTHER);
    assertThat(CompletableFuture.supplyAsync(IdlePriorityTest::policy, fresh()).join())
        .isEqualTo(SCHED_OTHER);
  }

  private static Executor fresh() {
    return task -> Thread.ofPlatform().start(task);
  }

  private static String policy() {
    try {
      String stat = Files.readString(STAT);
      return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[AFTER_NAME];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
