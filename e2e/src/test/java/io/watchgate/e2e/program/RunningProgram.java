package io.watchgate.e2e.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Process and the lines that it has printed. The process ends with the test, or with this JVM. */
public final class RunningProgram implements AutoCloseable {
  private static final int LIMIT_SECONDS = 180;

  private final String name;
  private final Process process;
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final Thread outReader;
  private final Thread errReader;

  RunningProgram(String name, Process process) {
    this.name = name;
    this.process = process;
    // No virtual threads: a blocking read from a pipe pins its carrier, and there are only as many
    // carriers as cores.
    Thread.Builder readers = Thread.ofPlatform().daemon().name("output of a program");
    this.outReader = readers.start(() -> read(process.inputReader(), out));
    this.errReader = readers.start(() -> read(process.errorReader(), err));
  }

  private static void read(BufferedReader from, List<String> to) {
    try (from) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        to.add(line);
      }
    } catch (IOException e) {
      // The process has ended, or its output is not read any more; end() returns the exit code.
    }
  }

  /** Returns the lines printed to stdout so far. */
  public List<String> out() {
    return out;
  }

  /** Returns the lines printed to stderr so far. */
  public List<String> err() {
    return err;
  }

  /**
   * Stops reading stdout after the next line, as if {@code head} had ended: a pending read keeps
   * the pipe open until then.
   */
  public void breakPipe() {
    try {
      process.getInputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end and returns the exit code. */
  public int end() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError(name + " has not ended; it printed " + out + " and said " + err);
    }
    outReader.join();
    errReader.join();
    return process.exitValue();
  }

  /** Sends SIGTERM and returns the exit code. */
  public int stop() throws InterruptedException {
    // The process's own method would close its output, too.
    if (!process.toHandle().destroy()) {
      throw new AssertionError(name + " cannot be asked to end");
    }
    return end();
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
