package io.watchgate.e2e.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A process and the lines it has printed. It ends with the test, or with this JVM. */
public final class RunningProgram implements AutoCloseable {
  private static final int LIMIT_SECONDS = 30;

  private final String name;
  private final Process process;
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final Thread outReader;
  private final Thread errReader;
  private final Thread hook;

  RunningProgram(String name, Process process) {
    this.name = name;
    this.process = process;
    // No virtual threads: who reads from a pipe holds its carrier, and there are as many as cores.
    Thread.Builder readers = Thread.ofPlatform().daemon().name("output of a program");
    this.outReader = readers.start(() -> read(process.inputReader(), out));
    this.errReader = readers.start(() -> read(process.errorReader(), err));
    this.hook = new Thread(process::destroyForcibly, "end " + name);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private static void read(BufferedReader from, List<String> to) {
    try (from) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        to.add(line);
      }
    } catch (IOException e) {
      // It is gone, or nobody wants to read it any more; end() tells how it ended.
    }
  }

  /** What it has printed to stdout so far. */
  public List<String> out() {
    return out;
  }

  /** What it has said on stderr so far. */
  public List<String> err() {
    return err;
  }

  /**
   * After the next line nobody reads its stdout, as where {@code head} has ended behind it: a read
   * that waits already keeps the pipe open.
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

  /** Waits for its end and returns its exit code. */
  public int end() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError(name + " has not ended; it printed " + out + " and said " + err);
    }
    outReader.join();
    errReader.join();
    return process.exitValue();
  }

  /** Asks it to end (SIGTERM) and returns its exit code. */
  public int stop() throws InterruptedException {
    // The process's own method closes what it still says, too.
    if (!process.toHandle().destroy()) {
      throw new AssertionError(name + " cannot be asked to end");
    }
    return end();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook has run or will find nothing to do.
    }
  }
}
