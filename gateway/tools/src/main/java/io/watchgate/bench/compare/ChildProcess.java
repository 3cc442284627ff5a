package io.watchgate.bench.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A child process, which ends when it is closed. It outlives this JVM if it is not closed. */
final class ChildProcess implements AutoCloseable {
  private static final int KEPT_LINES = 8;
  private static final long END_SECONDS = 15;

  /**
   * Lower JIT threshold for all processes, on every side: 1,000 calls instead of 5,000. At 100
   * events per second, a method that is called once per event reaches 5,000 calls only after a
   * minute. A server in production is already warm.
   */
  private static final String LOW_JIT_THRESHOLD = "-XX:CompileThresholdScaling=0.2";

  /**
   * Keeps idle compiler threads, because the CPU time of a thread that has ended is not reported.
   */
  private static final String KEEP_COMPILER_THREADS = "-XX:-UseDynamicNumberOfCompilerThreads";

  private final String name;
  private final Process process;
  private final Thread reader = Thread.ofVirtual().unstarted(this::read);
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Deque<String> lastLines = new ArrayDeque<>();

  private ChildProcess(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /** Starts a command of watchgate with the JVM options of this process. */
  static ChildProcess watchgate(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      // An AOT cache affects the start only; a measurement of a minute must not depend on it.
      if (!option.contains("AOT")
          && !option.startsWith("-agentlib")
          && !option.startsWith("-javaagent")) {
        command.add(option);
      }
    }
    command.add(LOW_JIT_THRESHOLD);
    command.add(KEEP_COMPILER_THREADS);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("io.watchgate.cli.Main");
    command.addAll(arguments);
    return program(arguments.getFirst(), command);
  }

  /**
   * Starts any program.
   *
   * @param name name for error messages
   */
  static ChildProcess program(String name, List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    ChildProcess launched = new ChildProcess(name, process);
    launched.reader.start();
    return launched;
  }

  private void read() {
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (lastLines) {
          lastLines.add(line);
          if (lastLines.size() > KEPT_LINES) {
            lastLines.remove();
          }
        }
        lines.add(line);
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  long pid() {
    return process.pid();
  }

  /**
   * Waits for a line, and discards the lines before it.
   *
   * @throws IOException if the process ends or the time elapses first
   */
  Matcher await(Pattern wanted, long seconds) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      Optional<String> line = Optional.ofNullable(lines.poll(100, TimeUnit.MILLISECONDS));
      Optional<Matcher> found = line.map(wanted::matcher).filter(Matcher::find);
      if (found.isPresent()) {
        return found.get();
      }
      if (line.isEmpty() && (!process.isAlive() || System.nanoTime() > deadline)) {
        throw new IOException(name + " does not serve: " + lastLines());
      }
    }
  }

  /** Waits until the process ends by itself, and returns its exit code. */
  int await() throws InterruptedException {
    return process.waitFor();
  }

  /** Returns the end of its output, which has the cause of a failure, one line below the other. */
  String lastLines() throws InterruptedException {
    if (!process.isAlive()) {
      reader.join(Duration.ofSeconds(END_SECONDS));
    }
    synchronized (lastLines) {
      return lastLines.isEmpty() ? "it printed nothing" : "\n  " + String.join("\n  ", lastLines);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
