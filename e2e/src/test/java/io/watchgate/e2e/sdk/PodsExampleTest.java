package io.watchgate.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the example of the Java SDK's README. */
final class PodsExampleTest {
  private static final Path EXAMPLE = Repository.root().resolve("examples/Pods.java");

  @Test
  void readme_hasTheExample() throws IOException {
    assertThat(Files.readString(SdkBuild.MODULE.resolve("README.md")))
        .contains(Files.readString(EXAMPLE));
  }

  @Test
  void example_printsPodsAndTheirChanges(@TempDir Path folder) throws IOException {
    try (Command gateway = Command.startSandbox()) {
      String source = Files.readString(EXAMPLE);
      Path file = folder.resolve("Pods.java");
      Files.writeString(file, source.replace("7443", "" + gateway.awaitServing().grpc()));
      try (RunningProgram example = SdkBuild.program(file).start()) {
        await()
            .atMost(Duration.ofMinutes(3))
            .untilAsserted(
                () ->
                    assertThat(example.out())
                        .as(() -> "" + example.err())
                        .anyMatch(line -> line.startsWith("ADDED shop/"))
                        .anyMatch(line -> line.startsWith("MODIFIED shop/")));
      }
    }
  }
}
