package io.watchgate.e2e.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckObserver;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.check.run.CheckRun;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.sandbox.EmbeddedSandbox;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ObjectView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Judged test with a small heap: the judge's three types, next to six busy types with lagging
 * streams. {@code -Dwatchgate.test.args=-Dseed=N} repeats the writes of a run.
 */
final class JudgedSmallHeapTest {
  private static final int HEAP_MIB = 64;
  private static final String NAMESPACE = "busy";
  private static final int OBJECTS = 60;
  private static final String PADDING = "x".repeat(20_000);
  private static final int CONNECTIONS = 4;
  private static final int SLOW_MILLIS = 300;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<LagPolicy> POLICIES =
      List.of(LagPolicy.LAG_POLICY_RESYNC, LagPolicy.LAG_POLICY_DISCONNECT);

  private static final List<Resource> BUSY =
      IntStream.range(0, 6)
          .mapToObj(i -> new Resource("busy.example", "v1", "busy" + i + "s", "Busy" + i))
          .toList();

  private final long seed = Long.getLong("seed", new Random().nextLong());
  @TempDir private Path folder;

  @Test
  void fullHeap_breaksNoPromise() throws Exception {
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor();
    AtomicBoolean ends = new AtomicBoolean();
    List<Future<?>> writes = new ArrayList<>();
    List<JudgedStream> laggards = new ArrayList<>();
    try (EmbeddedSandbox sandbox = new EmbeddedSandbox();
        Cluster cluster = Cluster.plaintext(sandbox.uri())) {
      cluster.createNamespace(NAMESPACE);
      BUSY.forEach(type -> fill(cluster, type));
      Path kubeconfig = Command.kubeconfig(sandbox.uri(), folder);
      try (SmallHeapGateway gateway =
          SmallHeapGateway.start(HEAP_MIB, "-XX:+UseG1GC", kubeconfig)) {
        for (Resource type : BUSY) {
          writes.add(writers.submit(() -> write(cluster, type, ends)));
          for (LagPolicy policy : POLICIES) {
            laggards.add(
                JudgedStream.open(
                    gateway.connect(),
                    timer,
                    type.plural(),
                    ObjectView.OBJECT_VIEW_FULL,
                    policy,
                    SLOW_MILLIS));
          }
        }
        for (LagPolicy policy : POLICIES) {
          laggards.add(
              JudgedStream.openLaggard(
                  gateway.connectSlow(), timer, BUSY.getFirst().plural(), policy, SLOW_MILLIS));
        }
        List<ManagedChannel> channels =
            IntStream.range(0, CONNECTIONS).mapToObj(i -> gateway.connect()).toList();
        CheckPlan plan = new CheckPlan(18, 100, Duration.ofSeconds(4), seed, LIMIT, Duration.ZERO);
        CheckResult result =
            new CheckRun(plan, Kubeconfig.load(kubeconfig, ""), channels, new CheckObserver() {})
                .run();

        gateway.assertNeverOutOfMemory();
        assertThat(result.holds()).as("seed %d: %s", seed, result.text()).isTrue();
        assertThat(result.report().of(Promise.COMPLETE).judged()).isPositive();
        assertThat(
                gateway
                    .metrics()
                    .sum("watchgate_heap_budget_bytes", "part=\"history\"", "kind=\"used\""))
            .isPositive();
        for (LagPolicy policy : POLICIES) {
          JudgedStream.awaitLag(laggards, policy);
        }
        ends.set(true);
        for (Future<?> write : writes) {
          write.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        laggards.forEach(JudgedStream::close);
      }
      assertThat(laggards)
          .allSatisfy(laggard -> assertThat(laggard.violations()).isEmpty())
          .allSatisfy(
              laggard ->
                  assertThat(laggard.ends())
                      .allSatisfy(
                          end -> assertThat(end.reason()).isIn("LAGGED", "MEMORY", "QUOTA")));
    } finally {
      ends.set(true);
      writers.close();
      timer.shutdownNow();
    }
  }

  private static void fill(Cluster cluster, Resource type) {
    cluster.create(
        Resource.DEFINITIONS,
        Json.parse(
            """
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "metadata": {"name": "%1$s.%2$s"},
             "spec": {"group": "%2$s", "scope": "Namespaced",
               "names": {"plural": "%1$s", "kind": "%3$s"},
               "versions": [{"name": "v1", "served": true, "storage": true,
                 "schema": {"openAPIV3Schema": {"type": "object",
                   "x-kubernetes-preserve-unknown-fields": true}}}]}}
            """
                .formatted(type.plural(), type.group(), type.kind())));
    for (int i = 0; i < OBJECTS; i++) {
      cluster.create(
          type,
          Json.parse(
              """
              {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "o%d", "namespace": "%s"},
               "data": "%s"}
              """
                  .formatted(type.apiVersion(), type.kind(), i, NAMESPACE, PADDING)));
    }
  }

  /**
   * Changes objects one after the other, as fast as the sandbox accepts writes, until the test
   * ends.
   */
  private void write(Cluster cluster, Resource type, AtomicBoolean ends) {
    Random random = new Random(seed ^ type.plural().hashCode());
    for (int i = 0; !ends.get(); i++) {
      cluster.patch(type, NAMESPACE, "o" + random.nextInt(OBJECTS), "{\"round\": %d}".formatted(i));
    }
  }
}
