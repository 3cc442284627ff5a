package io.watchgate.e2e.bench;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.sandbox.EmbeddedSandbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of the sandbox compared with a real kube-apiserver: writes per second, and deliveries
 * per second to many watches. The clients and the sandbox are in this JVM; the apiserver is a
 * separate process and uses TLS.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dtest=SandboxBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
@WithSharedApiserver
@Tag("benchmark")
class SandboxBenchmark {
  private static final int WRITERS = 4;
  private static final int WARMUP = 1_000;
  private static final int WRITES = 4_000;
  private static final int WATCHES = 100;
  private static final int CHANGES = 500;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Test
  void writesAndFanOut(Apiserver apiserver) throws Exception {
    measure("kube-apiserver", apiserver.cluster());
    try (EmbeddedSandbox sandbox = new EmbeddedSandbox();
        Cluster cluster = Cluster.plaintext(sandbox.uri())) {
      measure("sandbox", cluster);
    }
  }

  private static void measure(String name, Cluster cluster) throws Exception {
    cluster.createNamespace("bench");
    write(cluster, "warm", WARMUP);
    double writing = write(cluster, "c", WRITES);
    double delivering = deliver(cluster);
    System.out.printf(
        "%-15s %,8.0f writes/s  %,9.0f deliveries/s to %d watches%n",
        name, WRITES / writing, (double) CHANGES * WATCHES / delivering, WATCHES);
  }

  /** Creates {@code count} objects and returns the duration in seconds. */
  private static double write(Cluster cluster, String prefix, int count) throws Exception {
    long begun = System.nanoTime();
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Callable<JsonNode>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String object =
            """
            {"kind":"ConfigMap","apiVersion":"v1",
             "metadata":{"namespace":"bench","name":"%s-%d"},"data":{"filler":"%s"}}\
            """
                .formatted(prefix, i, "x".repeat(1_000));
        all.add(() -> cluster.create(Resource.CONFIGMAPS, Json.parse(object)));
      }
      for (Future<JsonNode> done : writers.invokeAll(all)) {
        done.get();
      }
    }
    return seconds(begun);
  }

  /**
   * Changes an object that many watches select, and returns the seconds until all watches have
   * received all changes.
   */
  private static double deliver(Cluster cluster) {
    AtomicLong seen = new AtomicLong();
    AtomicLong listed = new AtomicLong();
    List<DirectWatch> watches = new ArrayList<>();
    try {
      for (int i = 0; i < WATCHES; i++) {
        watches.add(
            DirectWatch.start(
                cluster,
                Resource.CONFIGMAPS,
                "bench",
                Map.of("fieldSelector", "metadata.name=c-1"),
                new Counting(seen, listed)));
      }
      await().atMost(LIMIT).until(() -> listed.get() == WATCHES);
      long begun = System.nanoTime();
      for (int i = 0; i < CHANGES; i++) {
        cluster.patch(Resource.CONFIGMAPS, "bench", "c-1", "{\"data\":{\"n\":\"" + i + "\"}}");
      }
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> seen.get() >= (long) CHANGES * WATCHES);
      return seconds(begun);
    } finally {
      watches.forEach(DirectWatch::close);
    }
  }

  private record Counting(AtomicLong seen, AtomicLong listed) implements DirectWatch.Listener {
    @Override
    public void listed(long resourceVersion, List<JsonNode> objects) {
      listed.incrementAndGet();
    }

    @Override
    public void changed(DirectEvent event) {
      seen.incrementAndGet();
    }
  }

  private static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }
}
