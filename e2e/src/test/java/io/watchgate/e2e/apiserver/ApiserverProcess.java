package io.watchgate.e2e.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.kube.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Process of the test apiserver program, which prints one line of JSON when it is ready and one for
 * each command.
 */
final class ApiserverProcess {
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(3);
  private static final int SHOWN_LOG_LINES = 20;

  /**
   * Growth of Go's heap between collections, in percent: with 100, the default, a start costs a
   * fifth more CPU, and with 400 an apiserver has 75 MB more.
   */
  private static final String GARBAGE_PERCENT = "400";

  private final Process process;
  private final Path log;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private @Nullable JsonNode ready;

  ProcessHandle handle() {
    return process.toHandle();
  }

  private ApiserverProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    // No virtual thread: a blocking read from a pipe pins its carrier, and there are only as many
    // carriers as cores.
    Thread.ofPlatform().daemon().name("answers of the apiserver").start(this::readAnswers);
  }

  static ApiserverProcess start(Path folder, Path log, List<String> flags, Duration limit) {
    ApiserverProcess started;
    try {
      List<String> command = new ArrayList<>();
      command.addAll(
          List.of(
              KubernetesProgram.APISERVER.path().toString(),
              "serve",
              "--dir",
              folder.toString(),
              "--"));
      command.addAll(flags);
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder.environment().put("GOGC", GARBAGE_PERCENT);
      started = new ApiserverProcess(ChildProcess.start(builder), log);
    } catch (Exception e) {
      throw new IllegalStateException("the apiserver cannot be started: " + e.getMessage(), e);
    }
    try {
      started.ready = started.answer(limit);
      return started;
    } catch (RuntimeException e) {
      started.kill();
      throw e;
    }
  }

  JsonNode ready() {
    if (ready == null) {
      throw new IllegalStateException("not ready");
    }
    return ready;
  }

  JsonNode command(String command) {
    try {
      Writer stdin = process.outputWriter();
      stdin.write(command + "\n");
      stdin.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the apiserver takes no commands; its log: " + log, e);
    }
    return answer(ANSWER_LIMIT);
  }

  /**
   * Sends a signal.
   *
   * @param name STOP or CONT
   */
  void signal(String name) {
    try {
      int code =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
      if (code != 0) {
        throw new IllegalStateException("no signal " + name + " could be sent: " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void terminate(Duration limit) {
    // Process.destroy would close stdin as well, and the program exits when its stdin ends.
    process.toHandle().destroy();
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(
            "the apiserver did not end within " + limit.toSeconds() + " s; its log: " + log);
      }
      if (process.exitValue() != 0) {
        throw new IllegalStateException(
            "the apiserver ended with " + process.exitValue() + " on SIGTERM; its log: " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      kill();
    }
  }

  void kill() {
    process.destroyForcibly();
    // Its ports must be free before another server starts on them.
    process.onExit().join();
  }

  private void readAnswers() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // The process has ended; answer() reports it.
    }
  }

  private JsonNode answer(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    try {
      while (System.nanoTime() < end) {
        String line = answers.poll(100, TimeUnit.MILLISECONDS);
        if (line != null) {
          return Json.parse(line);
        }
        if (!process.isAlive()) {
          throw new IllegalStateException(
              "the apiserver ended with " + process.exitValue() + "; " + endOfLog());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException(
        "no answer of the apiserver for " + limit.toSeconds() + " s; " + endOfLog());
  }

  private String endOfLog() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.stream()
          .skip(Math.max(0, lines.size() - SHOWN_LOG_LINES))
          .collect(Collectors.joining("\n", "the end of its log " + log + ":\n", ""));
    } catch (IOException e) {
      return "its log " + log + " cannot be read: " + e.getMessage();
    }
  }
}
