package io.watchgate.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ChildProcessTest {
  private static final int LIMIT_SECONDS = 60;

  /** JVM that starts a process, prints its pid and ends when its stdin does. */
  public static void main(String[] arguments) throws IOException {
    Process child = ChildProcess.start(new ProcessBuilder("sleep", "600"));
    System.out.println(child.pid());
    System.exit(System.in.read());
  }

  @Test
  void childProcess_endsWithItsJvm() throws Exception {
    List<String> line = OwnJvm.command();
    line.addAll(
        List.of("-cp", System.getProperty("java.class.path"), ChildProcessTest.class.getName()));
    Process jvm =
        ChildProcess.start(new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT));
    Optional<ProcessHandle> child = Optional.empty();
    try {
      child = ProcessHandle.of(Long.parseLong(jvm.inputReader().readLine()));
      assertThat(child).as("the process while its JVM runs").isPresent();
      jvm.destroy();
      assertThat(jvm.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      child.orElseThrow().onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } finally {
      jvm.destroyForcibly();
      child.ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
