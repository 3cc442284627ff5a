package io.watchgate.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Process of a tested client, and the lines that it has printed. It ends at the latest with this
 * JVM.
 */
final class ClientProcess implements AutoCloseable {
  private final Process process;
  private final List<String> stdout = new CopyOnWriteArrayList<>();
  private final List<String> stderr = new CopyOnWriteArrayList<>();
  private final List<Thread> readers;
  private final Thread hook;

  private ClientProcess(Process process) {
    this.process = process;
    // No virtual threads: a blocking read of a pipe pins its carrier.
    Thread.Builder threads = Thread.ofPlatform().daemon().name("output of a client");
    this.readers =
        List.of(
            threads.start(() -> read(process.inputReader(), stdout)),
            threads.start(() -> read(process.errorReader(), stderr)));
    this.hook = new Thread(process::destroyForcibly, "end of a client");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a program.
   *
   * @throws IOException if there is no such program
   */
  static ClientProcess start(List<String> command) throws IOException {
    return new ClientProcess(new ProcessBuilder(command).start());
  }

  private static void read(BufferedReader from, List<String> to) {
    try (from) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        to.add(line);
      }
    } catch (IOException e) {
      // The process was killed.
    }
  }

  /** Returns what was printed so far. */
  ClientOutput output() {
    return new ClientOutput(stdout, stderr);
  }

  /** Returns how many lines were printed so far, on both outputs. */
  int lines() {
    return stdout.size() + stderr.size();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Asks the process to end, with SIGTERM. */
  void stop() {
    process.toHandle().destroy(); // Process.destroy would close the outputs, too
  }

  /**
   * Waits for the end; returns the exit code once all output is read, empty if it has not ended.
   */
  OptionalInt awaitEnd(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      return OptionalInt.empty();
    }
    for (Thread reader : readers) {
      reader.join();
    }
    return OptionalInt.of(process.exitValue());
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM ends, and the hook has run.
    }
  }
}
