package io.watchgate.e2e.informers;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.Repository;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Process of a program with a client that holds pods, measured from outside.
 *
 * <p>The program prints the line {@code synced} once it holds all pods. Then it answers each line
 * {@code events} of its stdin by {@code events N}, the number of events that its client has told of
 * so far. It ends with its stdin. {@link MeasuredProgram} answers further questions, and prints
 * some events: lines that begin with {@code told}.
 */
public final class MeasuredProcess implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final String name;
  private final Process process;
  private final long started;
  private final BlockingQueue<Line> answers = new LinkedBlockingQueue<>();
  private final List<Line> printedEvents = new CopyOnWriteArrayList<>();

  /** Printed line with its time. */
  record Line(String text, long nanoTime) {
    String word(int index) {
      return text.split(" ", -1)[index];
    }
  }

  /** Resources used until the informer was synced. */
  public record Synced(Duration after, Duration cpu, long residentKib) {}

  private MeasuredProcess(String name, Process process, long started) {
    this.name = name;
    this.process = process;
    this.started = started;
    Thread.ofPlatform().daemon().start(this::read);
  }

  /**
   * Starts a process.
   *
   * @param name name of the log in {@code e2e/target/informers}
   */
  public static MeasuredProcess start(String name, List<String> command) throws IOException {
    File log = Repository.target("informers").resolve(name + ".log").toFile();
    long started = System.nanoTime();
    return new MeasuredProcess(
        name,
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log)).start(),
        started);
  }

  private void read() {
    try (BufferedReader out = process.inputReader()) {
      for (String text = out.readLine(); text != null; text = out.readLine()) {
        Line line = new Line(text, System.nanoTime());
        if (text.startsWith("told ")) {
          printedEvents.add(line);
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      // The process was ended; a thread that waits for an answer reports it.
    }
  }

  /** Waits until the program holds all pods. */
  public Synced awaitSynced() throws IOException, InterruptedException {
    Line synced = next("synced");
    return new Synced(Duration.ofNanos(synced.nanoTime - started), cpu(), residentPeakKib());
  }

  /** Heap size without a client, and with a client that watches nothing. */
  record Weighed(long heapBefore, long heapWithout) {}

  /** Returns the heap sizes of a process that measures its heap; returns once it has all pods. */
  Weighed awaitWeighed() throws IOException, InterruptedException {
    long before = Long.parseLong(next("before").word(1));
    long without = Long.parseLong(next("without").word(1));
    next("synced");
    return new Weighed(before, without);
  }

  /** Returns the answer to a question. */
  public long ask(String what) throws IOException, InterruptedException {
    Writer in = process.outputWriter();
    in.write(what + "\n");
    in.flush();
    return Long.parseLong(next(what).word(1));
  }

  private Line next(String what) throws IOException, InterruptedException {
    Line line = answers.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (line == null || !line.word(0).equals(what)) {
      throw new IOException(
          "%s said %s instead of '%s'; see e2e/target/informers/%s.log"
              .formatted(name, line, what, name));
    }
    return line;
  }

  /** Waits until its client has told of at least this number of events. */
  public void awaitEvents(long atLeast) {
    await(name + " is told of " + atLeast)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> ask("events") >= atLeast);
  }

  /** Returns the printed events of the closely watched pods. */
  List<Line> printedEvents() {
    return printedEvents;
  }

  /** Returns the CPU time since the start. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  private long residentPeakKib() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
