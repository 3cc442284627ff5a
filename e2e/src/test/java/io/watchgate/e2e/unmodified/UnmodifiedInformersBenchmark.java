package io.watchgate.e2e.unmodified;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.bench.Figures;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.informers.Pods;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of the start of client-go informers on 10,000 pods at a kube-apiserver and at a gateway
 * before it, in alternating runs over TLS: 100 at once, and one, which shows what JSON in place of
 * protobuf costs a client. The clients share the cores with the servers.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=UnmodifiedInformersBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@code -Dwatchgate.test.args='-Drounds=1 -Dpods=2000 -Dinformers=10'} runs a shorter one.
 */
@WithApiserver
@Tag("benchmark")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class UnmodifiedInformersBenchmark {
  private static final int ROUNDS =
      Integer.getInteger("rounds", 3); // of a quarter of an hour on two cores
  private static final int PODS = Integer.getInteger("pods", 10_000);
  private static final int INFORMERS = Integer.getInteger("informers", 100);
  private static final int WARM_UP = 10;
  private static final int HEAP_MIB = 512;

  private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
  private static final String JSON = "application/json";

  /** Server of a run, and the format that the informers prefer. */
  private enum Side {
    APISERVER_PROTOBUF("apiserver, protobuf", PROTOBUF),
    APISERVER_JSON("apiserver, JSON", JSON),
    /** The gateway answers with JSON from its cache, although the informers prefer protobuf. */
    GATEWAY("gateway", PROTOBUF);

    private final String text;
    private final String contentType;

    Side(String text, String contentType) {
      this.text = text;
      this.contentType = contentType;
    }
  }

  /** Figures of one run; times in seconds. */
  private record Run(
      double median,
      double last,
      double bytes,
      double clientCpu,
      double apiserverCpu,
      double apiserverBytes,
      double gatewayCpu) {}

  /** Servers under test. */
  private record Servers(Apiserver apiserver, Command gateway, Target proxied, Program informers) {
    Run run(Side side, int count) throws Exception {
      Path kubeconfig =
          side == Side.GATEWAY ? proxied.kubeconfig() : Target.of(apiserver).kubeconfig();
      double apiserverBefore = seconds(apiserver.process());
      long bytesBefore = writtenBytes(apiserver.process());
      double gatewayBefore = seconds(gateway.process());
      String output =
          informers
              .and("--kubeconfig", kubeconfig.toString())
              .and("--content-type", side.contentType)
              .and("--count", Integer.toString(count))
              .run();
      JsonNode figures = Json.parse(output.lines().toList().getLast());
      return new Run(
          figures.get("median").asDouble(),
          figures.get("last").asDouble(),
          figures.get("bytes").asDouble(),
          figures.get("cpu").asDouble(),
          seconds(apiserver.process()) - apiserverBefore,
          writtenBytes(apiserver.process()) - bytesBefore,
          seconds(gateway.process()) - gatewayBefore);
    }

    /** Returns the bytes that a process has written to sockets and files; Linux only. */
    private static long writtenBytes(ProcessHandle process) throws IOException {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/io")).stream()
          .filter(line -> line.startsWith("wchar: "))
          .mapToLong(line -> Long.parseLong(line.substring("wchar: ".length())))
          .sum();
    }

    private static double seconds(ProcessHandle process) {
      return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }
  }

  @Test
  void informers(@OwnApiserver Apiserver apiserver, @TempDir Path folder) throws Exception {
    Figures.progress("creating %,d pods", PODS);
    Figures.progress("%,d bytes of JSON each", Pods.create(apiserver.cluster(), PODS).bytesEach());
    try (Command gateway =
        Command.startGateway(
            HEAP_MIB, apiserver, "--kube-listen", "127.0.0.1:0", "--token-review")) {
      Servers servers =
          new Servers(
              apiserver,
              gateway,
              ProxyProcess.target(apiserver, gateway.awaitServing().kube(), folder),
              GoPrograms.manyInformers());
      for (Side side : Side.values()) {
        var _ = servers.run(side, WARM_UP);
      }
      measure(servers, INFORMERS, EnumSet.of(Side.APISERVER_PROTOBUF, Side.GATEWAY));
      measure(servers, 1, EnumSet.allOf(Side.class));
    }
  }

  private static void measure(Servers servers, int informers, Set<Side> sides) throws Exception {
    Map<Side, List<Run>> runs = new EnumMap<>(Side.class);
    for (int round = 0; round < ROUNDS; round++) {
      for (Side side : sides) {
        runs.computeIfAbsent(side, _ -> new ArrayList<>()).add(servers.run(side, informers));
        Figures.progress("%d informers, round %d: %s done", informers, round + 1, side.text);
      }
    }
    runs.forEach((side, of) -> print(informers, side, of));
  }

  private static void print(int informers, Side side, List<Run> of) {
    Figures.progress(
        "%d informers, %s: median synced after %.2f s, last after %.2f s; CPU of the apiserver"
            + " %.2f s, of the gateway %.2f s, of the clients %.2f s; %.1f MB received, %.1f MB"
            + " written by the apiserver",
        informers,
        side.text,
        median(of, Run::median),
        median(of, Run::last),
        median(of, Run::apiserverCpu),
        median(of, Run::gatewayCpu),
        median(of, Run::clientCpu),
        median(of, Run::bytes) / 1e6,
        median(of, Run::apiserverBytes) / 1e6);
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    return runs.stream().mapToDouble(figure).sorted().toArray()[runs.size() / 2];
  }
}
