package io.watchgate.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.faults.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that {@code watchgate compare} measures: one pair of a second, whose figures mean nothing.
 */
final class CompareTest {
  @TempDir private Path folder;

  @Test
  void row_isMeasured() throws Exception {
    Path json = folder.resolve("figures.json");
    try (Command compare =
        Command.start(
            "compare",
            "identified",
            "--pairs=1",
            "--foreign=100",
            "--warm-up=1s",
            "--steady-within=1s",
            "--duration=1s",
            "--json=" + json)) {
      int code = compare.awaitEnd();
      assertThat(code).as(String.join("\n", compare.err())).isIn(0, 1);
    }
    assertThat(Files.readString(json)).contains("\"identified\"");
  }
}
