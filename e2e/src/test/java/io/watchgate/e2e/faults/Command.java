package io.watchgate.e2e.faults;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.InterruptibleCommand;
import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Process of the command {@code watchgate}, with the options of the launcher. It ends with this
 * JVM.
 */
public final class Command implements AutoCloseable {
  /** Time after which a command is taken to hang; other tests may keep all CPUs busy. */
  private static final Duration LIMIT = Duration.ofMinutes(4);

  /** Heap of a command, unless another one is given. */
  public static final int HEAP_MIB = 256;

  /** Line that {@code watchgate serve} logs once it serves. */
  private static final Pattern SERVING =
      Pattern.compile(
          "serving gRPC on 127\\.0\\.0\\.1:(\\d+) .*?(?:read API on 127\\.0\\.0\\.1:(\\d+), .*)?"
              + "metrics on 127\\.0\\.0\\.1:(\\d+)");

  private final String name;
  private final Process process;
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final Thread outReader;
  private final Thread errReader;

  /**
   * Ports of a gateway on 127.0.0.1.
   *
   * @param kube port of the Kubernetes read API; 0 if it is not served
   * @param http port of probes and metrics
   */
  public record Ports(int grpc, int kube, int http) {}

  private Command(String name, Process process) {
    this.name = name;
    this.process = process;
    // No virtual threads: a blocking read from a pipe pins its carrier, and there are only as many
    // carriers as cores.
    Thread.Builder readers = Thread.ofPlatform().daemon().name("output of " + name);
    this.outReader = readers.start(() -> read(process.inputReader(), out));
    this.errReader = readers.start(() -> read(process.errorReader(), err));
  }

  /** Starts the command; {@code arguments} begin with the subcommand. */
  public static Command start(String... arguments) {
    return start(HEAP_MIB, arguments);
  }

  /** Starts the command with a heap size. */
  public static Command start(int heapMib, String... arguments) {
    return start(heapMib, List.of(), arguments);
  }

  /** Starts the command with a heap size and further JVM options. */
  public static Command start(int heapMib, List<String> options, String... arguments) {
    String classPath = classPath();
    return start(heapMib, options, StartupCache.options(classPath), classPath, arguments);
  }

  /**
   * Starts the command with changed classes.
   *
   * @param first jar or folder before all others of the class path
   */
  public static Command startChanged(Path first, int heapMib, String... arguments) {
    String classPath = first + File.pathSeparator + classPath();
    return start(heapMib, List.of(), List.of(), classPath, arguments);
  }

  private static Command start(
      int heapMib,
      List<String> options,
      List<String> cache,
      String classPath,
      String... arguments) {
    List<String> line = line(heapMib, options, cache, classPath, arguments);
    try {
      return new Command(
          arguments[0], ChildProcess.start(new ProcessBuilder(InterruptibleCommand.of(line))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a process was started", e);
    }
  }

  /** Returns the command line, for a program that starts the command by itself. */
  public static List<String> line(String... arguments) {
    String classPath = classPath();
    return line(HEAP_MIB, List.of(), StartupCache.options(classPath), classPath, arguments);
  }

  private static List<String> line(
      int heapMib,
      List<String> options,
      List<String> cache,
      String classPath,
      String... arguments) {
    List<String> line = OwnJvm.command();
    line.addAll(options);
    line.addAll(
        List.of(
            "-Xmx" + heapMib + "m",
            "-XX:+ExitOnOutOfMemoryError",
            "-Xlog:disable",
            "-Xlog:all=warning:stderr"));
    line.addAll(cache);
    line.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, "io.watchgate.cli.Main"));
    line.addAll(List.of(arguments));
    return line;
  }

  /** Starts a gateway with a sandbox, at free ports. */
  public static Command startSandbox() {
    String any = "127.0.0.1:0";
    return start(
        "serve", "--sandbox", "--sandbox-listen", any, "--listen", any, "--http-listen", any);
  }

  /**
   * Starts a gateway before an apiserver, on free ports and over TLS with the apiserver's
   * certificate. Other options may follow.
   */
  public static Command startGateway(int heapMib, Apiserver apiserver, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("serve", "--kubeconfig", apiserver.kubeconfig().toString()));
    arguments.addAll(List.of("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"));
    arguments.addAll(List.of("--tls-cert", apiserver.file(Credential.SERVER).toString()));
    arguments.addAll(List.of("--tls-key", apiserver.file(Credential.SERVER_KEY).toString()));
    arguments.addAll(List.of(options));
    return start(heapMib, arguments.toArray(String[]::new));
  }

  /** Writes a kubeconfig for an apiserver stub, which accepts any token. */
  public static Path kubeconfig(URI server, Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig"),
        """
        {"apiVersion": "v1", "kind": "Config", "current-context": "c",
         "clusters": [{"name": "c", "cluster": {"server": "%s"}}],
         "users": [{"name": "c", "user": {"token": "t"}}],
         "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}
        """
            .formatted(server));
  }

  /**
   * Returns the class path that the gateway is delivered with, behind the classes of a mutation.
   * The tests configure logging for themselves. Java keeps the tables of contents of all libraries
   * in the heap: some megabytes for those of the tests.
   */
  private static String classPath() {
    Set<String> delivered;
    try (Stream<String> lines =
        Files.lines(Repository.root().resolve("gateway/cli/target/delivered.txt"))) {
      delivered =
          lines
              .map(line -> line.strip().split(":"))
              .filter(parts -> parts.length >= 5)
              .map(parts -> parts[1] + "-" + parts[parts.length - 2] + ".jar")
              .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(System.getProperty("java.class.path"))
        .filter(
            entry -> {
              Path path = Path.of(entry);
              return path.startsWith(Repository.root())
                  ? !path.startsWith(Repository.root().resolve("e2e"))
                      || path.startsWith(Repository.target("mutations"))
                  : delivered.contains(path.getFileName().toString());
            })
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static void read(BufferedReader from, List<String> to) {
    try (from) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        to.add(line);
      }
    } catch (IOException e) {
      // the process was killed
    }
  }

  /** Returns the process, for its CPU time. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Returns the lines printed to stdout so far. */
  public List<String> out() {
    return out;
  }

  /** Returns the lines printed to stderr so far. */
  public List<String> err() {
    return err;
  }

  /** Waits for a line on stderr that contains {@code part}, and returns the first. */
  public String awaitErr(String part) {
    try {
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> !process.isAlive() || err.stream().anyMatch(line -> line.contains(part)));
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "%s does not say \"%s\", having said %s".formatted(name, part, err), e);
    }
    if (!process.isAlive()) {
      var _ = awaitEnd(); // the reader may be behind the process
    }
    return err.stream()
        .filter(line -> line.contains(part))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " ended, having said " + err));
  }

  /** Waits until {@code watchgate serve} serves on 127.0.0.1, and returns its ports. */
  public Ports awaitServing() {
    String line = awaitErr("serving gRPC on");
    Matcher ports = SERVING.matcher(line);
    if (!ports.find()) {
      throw new AssertionError("no ports in: " + line);
    }
    String kube = ports.group(2);
    return new Ports(
        Integer.parseInt(ports.group(1)),
        kube == null ? 0 : Integer.parseInt(kube),
        Integer.parseInt(ports.group(3)));
  }

  /**
   * Waits until {@code watchgate serve} is ready: the types that it opens at the start are loaded.
   */
  public void awaitReady() {
    URI page = URI.create("http://127.0.0.1:%d/readyz".formatted(awaitServing().http()));
    HttpRequest request = HttpRequest.newBuilder(page).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      await()
          .atMost(Duration.ofMinutes(3))
          .until(
              () -> http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200);
    }
  }

  /**
   * Sends a signal and returns the exit code.
   *
   * @param signal INT, TERM or KILL
   */
  public int end(String signal) {
    signal(signal);
    return awaitEnd();
  }

  /**
   * Sends a signal.
   *
   * @param name such as STOP or CONT
   */
  public void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Waits until the command has ended and all that it printed is read. Returns its exit code. */
  public int awaitEnd() {
    try {
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " goes on, having said " + err);
      }
      outReader.join();
      errReader.join();
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Kills the process if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
