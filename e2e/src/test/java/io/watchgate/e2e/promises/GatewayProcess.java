package io.watchgate.e2e.promises;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import io.watchgate.server.GatewaySettings;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Gateway in a separate process, which can be stopped and killed. */
public final class GatewayProcess implements AutoCloseable {
  private static final int END_SECONDS = 180;
  private static final Duration READY = Duration.ofMinutes(3);
  private static final Duration ANSWER = Duration.ofMinutes(3);

  /** Exit code of a JVM that has run its shutdown hooks. */
  private static final int ON_SIGTERM = 128 + 15;

  private static final AtomicInteger LOGS = new AtomicInteger();

  private final Process process;
  private final int port;
  private final int httpPort;
  private final int kubePort;

  private GatewayProcess(Process process, int port, int httpPort, int kubePort) {
    this.process = process;
    this.port = port;
    this.httpPort = httpPort;
    this.kubePort = kubePort;
  }

  /**
   * Starts a gateway with the timeouts and the history of {@code watchgate serve}. Returns once it
   * serves.
   *
   * @param type opened at the start
   * @param heapMib heap limit; above it the process ends
   */
  public static GatewayProcess startAsServed(Path kubeconfig, String type, int heapMib)
      throws IOException {
    return start(
        kubeconfig,
        new ProcessSetup(
            List.of(), heapMib, ProcessSetup.AS_SERVED, List.of(type), GatewaySettings.Lane.ON),
        newLog());
  }

  /** Returns an empty log file for a gateway and its replacements. */
  static Path newLog() throws IOException {
    Path log = Repository.target("promises").resolve("gateway-" + LOGS.incrementAndGet() + ".log");
    return Files.write(log, new byte[0]);
  }

  /**
   * Starts a gateway. Returns once it serves.
   *
   * @param log file that is appended to
   */
  static GatewayProcess start(Path kubeconfig, ProcessSetup setup, Path log) throws IOException {
    List<String> classPath = new ArrayList<>();
    setup.changed().forEach(folder -> classPath.add(folder.toString()));
    classPath.add(System.getProperty("java.class.path"));
    List<String> line = OwnJvm.command();
    line.addAll(
        List.of(
            "-Xmx" + setup.heapMib() + "m",
            "-D%s=%s"
                .formatted(GatewayUnderTest.WITHOUT_LANE, setup.lane() == GatewaySettings.Lane.OFF),
            "-XX:+UseSerialGC", // other collectors would leave less of a small heap
            "-XX:+ExitOnOutOfMemoryError", // as in the launcher
            "--enable-native-access=ALL-UNNAMED",
            "-Dwatchgate.test.log=" + log,
            "-Dwatchgate.test.log.append=true",
            "-cp",
            String.join(File.pathSeparator, classPath),
            ServedGateway.class.getName(),
            kubeconfig.toString(),
            Integer.toString(setup.historyKib())));
    line.addAll(setup.types());
    Files.writeString(log, "---- another gateway starts\n", StandardOpenOption.APPEND);
    Process process =
        new ProcessBuilder(line)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    BufferedReader out = process.inputReader();
    String ports = out.readLine();
    if (ports == null) {
      process.destroyForcibly();
      throw new IOException("the gateway ended at once; see " + Repository.root().relativize(log));
    }
    int[] all = Stream.of(ports.split(" ", -1)).mapToInt(Integer::parseInt).toArray();
    return new GatewayProcess(process, all[0], all[1], all[2]);
  }

  /** Returns the address of gRPC. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Returns the address of the Kubernetes read API. */
  URI kubeUri() {
    return URI.create("http://127.0.0.1:" + kubePort);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Returns once the types of the start are loaded. */
  void awaitReady() {
    await().atMost(READY).until(() -> get("/readyz").statusCode() == 200);
  }

  /** Returns the metrics. */
  public MetricsText metrics() throws IOException, InterruptedException {
    return new MetricsText(get("/metrics").body());
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + httpPort + path);
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(uri).timeout(ANSWER).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /**
   * Sends a signal.
   *
   * @param name STOP or CONT
   */
  void signal(String name) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    if (code != 0) {
      throw new IOException("no signal " + name + " could be sent: " + code);
    }
  }

  /** Sends SIGTERM and waits until the gateway has notified its streams to reconnect. */
  public void end() throws IOException, InterruptedException {
    // The process's own method would also close its stdin, and the process would end immediately.
    process.toHandle().destroy();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("the gateway goes on after SIGTERM");
    }
    if (process.exitValue() != ON_SIGTERM) {
      throw new IOException("on SIGTERM the gateway ended with " + process.exitValue());
    }
  }

  /** Kills the process. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
