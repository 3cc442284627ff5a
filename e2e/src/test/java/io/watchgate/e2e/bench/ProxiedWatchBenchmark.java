package io.watchgate.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Benchmark of watches over HTTP with TLS, at a kube-apiserver and at a gateway before it, in
 * alternating runs: CPU of the server for each delivery, without what the writes alone cost, the
 * time from a write to its event, and the memory of a watch without events. The clients run in this
 * JVM, on the same cores.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=ProxiedWatchBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
@WithSharedApiserver
@Tag("benchmark")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ProxiedWatchBenchmark {
  private static final int PAIRS = 3;
  private static final int STREAMS_A_CONNECTION = 90; // an apiserver allows 100 or more
  private static final Duration WARM = Duration.ofSeconds(3);
  private static final Duration MEASURED = Duration.ofSeconds(8);

  /** Time in which the JVM of the gateway compiles what it runs often. */
  private static final Duration COMPILED = Duration.ofSeconds(40);

  private static final Pattern WRITTEN_AT = Pattern.compile("\"t\":\"(\\d+)\"");
  private static final int NODES = 500;
  private static final int IDLE_WATCHES = 3_000;
  private static final Resource QUIET = new Resource("", "v1", "podtemplates", "PodTemplate");

  private final Random random = new Random(1);

  /** Server under test. */
  private record Side(String name, URI server, ProcessHandle process) {
    Duration cpu() {
      return process.info().totalCpuDuration().orElseThrow();
    }
  }

  /**
   * Result of one side.
   *
   * @param writes writes a second; a busy machine makes the writer wait
   */
  private record Run(
      double cpuPerDelivery, double cpuPerSecond, Percentiles latency, double writes) {}

  @Test
  void watches(Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("many");
    cluster.create(Resource.CONFIGMAPS, map());
    for (int i = 0; i < NODES; i++) {
      cluster.create(Resource.PODS, pod(i));
    }
    Command gateway =
        Command.startGateway(512, apiserver, "--kube-listen", "127.0.0.1:0", "--token-review");
    try {
      Side direct = new Side("apiserver", apiserver.server(), apiserver.process());
      Side proxied =
          new Side(
              "gateway",
              URI.create("https://127.0.0.1:" + gateway.awaitServing().kube()),
              gateway.process());
      IntFunction<String> same = i -> "/api/v1/namespaces/many/configmaps";
      IntFunction<String> ofNode =
          i -> "/api/v1/namespaces/many/pods?fieldSelector=spec.nodeName%3Dn" + i;
      for (Connections connections : Connections.values()) {
        for (int rate : new int[] {20, 100}) {
          compare(
              "1,000 same watches over %s, %d changes/s".formatted(connections.text, rate),
              new Load(
                  apiserver,
                  1_000,
                  same,
                  connections,
                  rate,
                  () -> write(cluster, "configmaps", "c")),
              direct,
              proxied);
        }
      }
      for (int rate : new int[] {20, 100}) {
        compare(
            "500 watches of one node's pod each, over %s, %d changes/s"
                .formatted(Connections.OWN.text, rate),
            new Load(
                apiserver,
                NODES,
                ofNode,
                Connections.OWN,
                rate,
                () -> write(cluster, "pods", "p" + random.nextInt(NODES))),
            direct,
            proxied);
      }
    } finally {
      gateway.close();
    }
  }

  /**
   * Measures what a watch of a type without changes occupies: the live memory of the process, as
   * its own runtime accounts for it after a garbage collection, and its resident memory.
   */
  @Test
  void idleWatches(Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("idle");
    cluster.create(
        QUIET,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"t","namespace":"idle"},
             "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}
            """));
    try (Command gateway =
        Command.startGateway(512, apiserver, "--kube-listen", "127.0.0.1:0", "--token-review")) {
      Command.Ports ports = gateway.awaitServing();
      Side direct = new Side("apiserver", apiserver.server(), apiserver.process());
      Side proxied =
          new Side("gateway", URI.create("https://127.0.0.1:" + ports.kube()), gateway.process());
      for (Connections connections : Connections.values()) {
        idle(load(apiserver, connections), direct, () -> goMemory(cluster));
        idle(load(apiserver, connections), proxied, () -> javaMemory(gateway.process(), ports));
      }
    }
  }

  private static Load load(Apiserver apiserver, Connections connections) {
    return new Load(
        apiserver,
        IDLE_WATCHES,
        i -> "/api/v1/namespaces/idle/podtemplates",
        connections,
        0,
        () -> {});
  }

  private interface LiveMemory {
    double bytes() throws Exception;
  }

  private static void idle(Load load, Side side, LiveMemory memory) throws Exception {
    Watches.open(new Load(load.apiserver, 1, load.path, load.connections, 0, () -> {}), side)
        .close();
    double live = memory.bytes();
    long resident = resident(side.process);
    try (Watches watches = Watches.open(load, side)) {
      assertThat(watches.received.get()).isEqualTo(IDLE_WATCHES);
      Figures.progress(
          "%,d watches without events over %s, %s: %.1f KB live and %.1f KB resident each",
          IDLE_WATCHES,
          load.connections.text,
          side.name,
          (memory.bytes() - live) / 1e3 / IDLE_WATCHES,
          (resident(side.process) - resident) / 1e3 / IDLE_WATCHES);
    }
  }

  /** Collects garbage twice: what the first collection finalizes is freed by the second. */
  private static double goMemory(Cluster cluster) {
    for (int i = 0; i < 2; i++) {
      assertThat(send(cluster, "/debug/pprof/heap?gc=1&debug=1")).isNotEmpty();
    }
    MetricsText metrics = new MetricsText(send(cluster, "/metrics"));
    return metrics.sum("go_memstats_heap_alloc_bytes")
        + metrics.sum("go_memstats_stack_inuse_bytes");
  }

  private static String send(Cluster cluster, String path) {
    return cluster.send("GET", path, "application/json", "", "").body();
  }

  private static double javaMemory(ProcessHandle gateway, Command.Ports ports) throws Exception {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    var _ = Program.of(jcmd.toString(), Long.toString(gateway.pid()), "GC.run").run();
    URI page = URI.create("http://127.0.0.1:" + ports.http() + "/metrics");
    try (HttpClient client = HttpClient.newHttpClient()) {
      MetricsText metrics =
          new MetricsText(
              client
                  .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
                  .body());
      return metrics.sum("jvm_memory_used_bytes", "area=\"heap\"")
          + metrics.sum("jvm_buffer_pool_used_bytes", "pool=\"direct\"")
          + metrics.sum("watchgate_netty_direct_bytes");
    }
  }

  private static long resident(ProcessHandle process) throws IOException {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
      String line = lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
      return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    }
  }

  private static JsonNode map() {
    return Json.parse(
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\",\"namespace\":\"many\"},\"data\":{\"filler\":\""
            + "x".repeat(700)
            + "\"}}");
  }

  private static JsonNode pod(int number) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"many"},
         "spec":{"nodeName":"n%d","containers":[{"name":"c","image":"i"}]}}
        """
            .formatted(number, number));
  }

  private static void write(Cluster cluster, String plural, String name) {
    Resource type = plural.equals("pods") ? Resource.PODS : Resource.CONFIGMAPS;
    cluster.patch(
        type,
        "many",
        name,
        "{\"metadata\":{\"annotations\":{\"t\":\"" + System.nanoTime() + "\"}}}");
  }

  /** Connections of the watches. */
  private enum Connections {
    /** HTTP/2, as of a few programs with many watches each. */
    SHARED(HttpClient.Version.HTTP_2, STREAMS_A_CONNECTION, "shared connections"),
    /** HTTP/1.1, as of many programs. */
    OWN(HttpClient.Version.HTTP_1_1, Integer.MAX_VALUE, "a connection each");

    private final HttpClient.Version version;
    private final int watchesOfAClient;
    private final String text;

    Connections(HttpClient.Version version, int watchesOfAClient, String text) {
      this.version = version;
      this.watchesOfAClient = watchesOfAClient;
      this.text = text;
    }
  }

  /** Watches and writes of one row. */
  private record Load(
      Apiserver apiserver,
      int watches,
      IntFunction<String> path,
      Connections connections,
      int rate,
      Runnable write) {}

  private static void compare(String what, Load load, Side direct, Side proxied) throws Exception {
    try (Watches watches = Watches.open(load, proxied);
        Writer writer = new Writer(load)) {
      assertThat(writer.isAlive()).isTrue();
      LockSupport.parkNanos(COMPILED.toNanos());
      assertThat(watches.received.get()).isPositive();
    }
    double cpuOfAWrite = writesAlone(load, direct);
    List<Run> directs = new ArrayList<>();
    List<Run> proxieds = new ArrayList<>();
    for (int pair = 0; pair < PAIRS; pair++) {
      directs.add(run(load, direct, cpuOfAWrite));
      proxieds.add(run(load, proxied, 0));
    }
    print(what, "apiserver", directs);
    print(what, "gateway", proxieds);
    Figures.progress(
        "%s: gateway's CPU for a delivery is %.2f of the apiserver's, its p99 %.2f",
        what,
        median(proxieds.stream().map(Run::cpuPerDelivery).toList())
            / median(directs.stream().map(Run::cpuPerDelivery).toList()),
        median(proxieds.stream().map(run -> (double) run.latency.p99().toNanos()).toList())
            / median(directs.stream().map(run -> (double) run.latency.p99().toNanos()).toList()));
  }

  private static void print(String what, String side, List<Run> runs) {
    Figures.progress(
        "%s, %s: %.1f us CPU for a delivery, %.1f %% of a core, p50 %.2f ms, p99 %.2f ms, %.0f"
            + " writes a second",
        what,
        side,
        median(runs.stream().map(Run::cpuPerDelivery).toList()),
        100 * median(runs.stream().map(Run::cpuPerSecond).toList()),
        median(runs.stream().map(run -> run.latency.median().toNanos() / 1e6).toList()),
        median(runs.stream().map(run -> run.latency.p99().toNanos() / 1e6).toList()),
        median(runs.stream().map(Run::writes).toList()));
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  /** Returns the CPU seconds that a write alone costs the apiserver. */
  private static double writesAlone(Load load, Side side) {
    try (Writer writer = new Writer(load)) {
      assertThat(writer.isAlive()).isTrue();
      LockSupport.parkNanos(WARM.toNanos());
      Duration before = side.cpu();
      long written = writer.writes.get();
      LockSupport.parkNanos(MEASURED.toNanos());
      return seconds(side.cpu().minus(before)) / (writer.writes.get() - written);
    }
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private static Run run(Load load, Side side, double cpuOfAWrite) throws Exception {
    try (Watches watches = Watches.open(load, side);
        Writer writer = new Writer(load)) {
      assertThat(writer.isAlive()).isTrue();
      LockSupport.parkNanos(WARM.toNanos());
      Duration cpu = side.cpu();
      long count = watches.received.get();
      long writes = writer.writes.get();
      watches.latencies.clear();
      LockSupport.parkNanos(MEASURED.toNanos());
      long written = writer.writes.get() - writes;
      double used = seconds(side.cpu().minus(cpu)) - cpuOfAWrite * written;
      long delivered = watches.received.get() - count;
      Percentiles latency = Percentiles.of(List.copyOf(watches.latencies));
      return new Run(
          used * 1e6 / delivered, used / seconds(MEASURED), latency, written / seconds(MEASURED));
    }
  }

  /** Thread that writes at a pace. */
  private static final class Writer implements AutoCloseable {
    final AtomicLong writes = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;

    Writer(Load load) {
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    long next = System.nanoTime();
                    while (!closed) {
                      load.write.run();
                      writes.incrementAndGet();
                      next += 1_000_000_000L / load.rate;
                      LockSupport.parkNanos(next - System.nanoTime());
                    }
                  });
    }

    boolean isAlive() {
      return thread.isAlive();
    }

    @Override
    public void close() {
      closed = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Open watches of one side. */
  private static final class Watches implements AutoCloseable {
    final AtomicLong received = new AtomicLong();
    final ConcurrentLinkedQueue<Duration> latencies = new ConcurrentLinkedQueue<>();
    private final List<HttpClient> clients = new ArrayList<>();

    static Watches open(Load load, Side side) throws Exception {
      Watches watches = new Watches();
      String token = load.apiserver.token();
      SSLContext tls = trusting(load.apiserver);
      for (int i = 0; i < load.watches; i++) {
        boolean first = i % load.connections.watchesOfAClient == 0;
        if (first) {
          watches.clients.add(
              HttpClient.newBuilder().sslContext(tls).version(load.connections.version).build());
        }
        String path = load.path.apply(i);
        String query = path.contains("?") ? "&" : "?";
        HttpRequest request =
            HttpRequest.newBuilder(side.server.resolve(path + query + "watch=1&resourceVersion=0"))
                .header("Authorization", "Bearer " + token)
                .build();
        var _ =
            watches
                .clients
                .getLast()
                .sendAsync(request, HttpResponse.BodyHandlers.ofByteArrayConsumer(watches::take))
                .exceptionally(failure -> null);
        int expected = i + 1;
        // The first stream of a connection opens it: a client would open one for each stream that
        // begins before.
        if (first || expected % STREAMS_A_CONNECTION == 0 || expected == load.watches) {
          await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> watches.received.get() >= expected); // the first object of each
        }
      }
      return watches;
    }

    private void take(Optional<byte[]> bytes) {
      if (bytes.isEmpty()) {
        return;
      }
      long now = System.nanoTime();
      String text = new String(bytes.get(), StandardCharsets.ISO_8859_1);
      received.addAndGet(text.chars().filter(each -> each == '\n').count());
      Matcher written = WRITTEN_AT.matcher(text);
      while (written.find()) {
        latencies.add(Duration.ofNanos(now - Long.parseLong(written.group(1))));
      }
    }

    private static SSLContext trusting(Apiserver apiserver) throws Exception {
      return new HandshakeCertificates.Builder()
          .addTrustedCertificate(
              Certificates.decodeCertificatePem(
                  Files.readString(apiserver.file(Credential.AUTHORITY))))
          .build()
          .sslContext();
    }

    @Override
    public void close() {
      clients.forEach(HttpClient::shutdownNow);
    }
  }
}
