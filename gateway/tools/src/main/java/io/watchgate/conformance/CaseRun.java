package io.watchgate.conformance;

import io.grpc.InsecureServerCredentials;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Run of one case with one process of a client. */
public final class CaseRun {
  /** Longest wait for the expected output, which comes within seconds on an idle machine. */
  public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

  /** Longest wait for the end of a client that got SIGTERM. */
  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private final ConformanceCase played;
  private final List<String> client;
  private final Duration limit;

  /**
   * @param client command of the client; the server and the arguments of the case are added
   * @param limit longest wait for the expected output
   */
  public CaseRun(ConformanceCase played, List<String> client, Duration limit) {
    this.played = played;
    this.client = List.copyOf(client);
    this.limit = limit;
  }

  /**
   * Runs the case.
   *
   * @throws IOException if the client cannot be started
   * @throws InterruptedException if the thread is interrupted; the client is ended
   */
  public CaseResult run() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ScriptedGateway gateway =
            new ScriptedGateway(
                InsecureServerCredentials.create(),
                played.gateways(),
                played.streams(),
                played.further());
        ClientProcess process = ClientProcess.start(command(gateway.ports()))) {
      boolean endsByItself = played.expectation().exitCode().isPresent();
      int seen = -1;
      boolean isAsExpected = false;
      while (process.isAlive() && !isAsExpected && System.nanoTime() - begin < limit.toNanos()) {
        int received = process.lines() + gateway.requests().size();
        if (!endsByItself && received != seen) { // otherwise nothing to compare has changed
          seen = received;
          isAsExpected = differences(gateway, process).isEmpty();
        }
        var _ = process.awaitEnd(isAsExpected ? Duration.ZERO : POLL_INTERVAL);
      }
      List<String> endings = endsByItself ? endByItself(process) : stop(process);
      List<String> all =
          Stream.concat(endings.stream(), differences(gateway, process).stream()).toList();
      return new CaseResult(played.name(), Duration.ofNanos(System.nanoTime() - begin), all);
    }
  }

  private List<String> command(List<Integer> ports) {
    List<String> command = new ArrayList<>(client);
    command.add("configmaps");
    ports.forEach(port -> command.addAll(List.of("--server", "127.0.0.1:" + port)));
    command.addAll(played.arguments());
    return command;
  }

  private List<String> endByItself(ClientProcess process) throws InterruptedException {
    int expected = played.expectation().exitCode().orElseThrow();
    OptionalInt code = process.awaitEnd(Duration.ZERO);
    return code.isPresent() && code.getAsInt() == expected
        ? List.of()
        : List.of(
            code.isPresent()
                ? "it ended with %d; expected %d".formatted(code.getAsInt(), expected)
                : "it has not ended within %d s".formatted(limit.toSeconds()));
  }

  private List<String> stop(ClientProcess process) throws InterruptedException {
    if (!process.isAlive()) {
      return List.of(
          "it ended by itself with "
              + process.awaitEnd(END_LIMIT).orElseThrow()
              + ", having said "
              + process.output().stderr());
    }
    process.stop();
    OptionalInt code = process.awaitEnd(END_LIMIT);
    if (code.isEmpty()) {
      return List.of("it does not end on SIGTERM");
    }
    return code.getAsInt() == 0
        ? List.of()
        : List.of("it ended on SIGTERM with %d; expected 0".formatted(code.getAsInt()));
  }

  private List<String> differences(ScriptedGateway gateway, ClientProcess process) {
    List<String> differences = new ArrayList<>(played.expectation().differences(process.output()));
    List<ScriptedGateway.Received> requests = gateway.requests();
    List<Long> ends = gateway.ends();
    for (int i = 0; i < played.streams().size(); i++) {
      ScriptedStream stream = played.streams().get(i);
      String name = "stream " + (i + 1) + ": ";
      if (i >= requests.size()) {
        differences.add(name + "the client did not open it");
        break;
      }
      stream.difference(requests.get(i).message()).map(name::concat).ifPresent(differences::add);
      if (i > 0
          && stream.address() == ScriptedStream.Address.ANOTHER
          && requests.get(i).port() == requests.get(i - 1).port()) {
        differences.add(name + "it came at the same address as the one before");
      }
      if (i > 0 && i <= ends.size()) {
        Duration wait = Duration.ofNanos(requests.get(i).nanoTime() - ends.get(i - 1));
        wrongWait(stream, wait).map(name::concat).ifPresent(differences::add);
      }
    }
    return differences;
  }

  private static Optional<String> wrongWait(ScriptedStream stream, Duration wait) {
    boolean isWrong =
        stream.minWait().filter(min -> wait.compareTo(min) < 0).isPresent()
            || stream.maxWait().filter(max -> wait.compareTo(max) > 0).isPresent();
    return isWrong
        ? Optional.of(
            "it came %d ms after the end of the one before; expected %s to %s"
                .formatted(
                    wait.toMillis(),
                    stream.minWait().map(Duration::toString).orElse("0"),
                    stream.maxWait().map(Duration::toString).orElse("any time")))
        : Optional.empty();
  }
}
