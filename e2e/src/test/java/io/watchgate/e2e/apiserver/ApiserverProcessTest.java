package io.watchgate.e2e.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Requires(RequiredTool.GO)
class ApiserverProcessTest {
  /** The end of its input is the only sign that its JVM was killed. */
  @Test
  void process_endsWithItsInput(@TempDir Path folder) throws Exception {
    Process process =
        new ProcessBuilder(
                KubernetesProgram.APISERVER.path().toString(), "serve", "--dir", folder.toString())
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(Duration.ofSeconds(30))).as("it has ended").isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
