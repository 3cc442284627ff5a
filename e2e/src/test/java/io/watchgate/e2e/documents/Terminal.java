package io.watchgate.e2e.documents;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Shell that runs a script and writes its stdout and stderr to a file. */
final class Terminal implements AutoCloseable {
  /** Long enough to create a Python environment, download packages and start an apiserver. */
  static final Duration LIMIT = Duration.ofMinutes(10);

  private static final Duration END = Duration.ofSeconds(20);

  private final String script;
  private final Path output;
  private final Process process;

  Terminal(String script, Path folder, Map<String, String> environment, Path output)
      throws IOException {
    this.script = script;
    this.output = output;
    ProcessBuilder builder = new ProcessBuilder("sh", "-ec", script);
    builder.directory(folder.toFile()).environment().putAll(environment);
    builder.environment().remove("KUBECONFIG");
    this.process =
        ChildProcess.start(builder.redirectErrorStream(true).redirectOutput(output.toFile()));
  }

  /** Waits until {@code pattern} occurs in the output. */
  void awaitOutput(String pattern) {
    if (!findsOutput(pattern)) {
      throw new AssertionError(
          script + "\nended with " + process.exitValue() + " and printed\n" + output());
    }
  }

  /**
   * Waits until {@code pattern} occurs in the output, or the script has ended. Returns false if it
   * has succeeded without that output.
   */
  boolean findsOutput(String pattern) {
    Pattern expected = Pattern.compile(pattern, Pattern.MULTILINE);
    return await(script)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              // Checked before the output is read: a process that has ended has written all of its
              // output.
              boolean ended = !process.isAlive();
              if (expected.matcher(output()).find()) {
                return Optional.of(true);
              }
              if (ended && process.exitValue() != 0) {
                throw new AssertionError(
                    script + "\nended with " + process.exitValue() + " and printed\n" + output());
              }
              return ended ? Optional.of(false) : Optional.<Boolean>empty();
            },
            Optional::isPresent)
        .orElseThrow();
  }

  /** Waits until the script has ended, and requires that it succeeded. */
  void awaitSuccess() {
    await(script).atMost(LIMIT).until(() -> !process.isAlive());
    if (process.exitValue() != 0) {
      throw new AssertionError(
          script + "\nended with " + process.exitValue() + " and printed\n" + output());
    }
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the shell and all its child processes; kills those that do not end by themselves. */
  @Override
  public void close() {
    try (Stream<ProcessHandle> started = process.descendants()) {
      List<ProcessHandle> all = started.toList();
      process.destroy();
      all.forEach(ProcessHandle::destroy);
      process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      all.forEach(ProcessHandle::destroyForcibly);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
