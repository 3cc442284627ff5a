package io.watchgate.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.informers.PodPatcher;
import io.watchgate.e2e.informers.Pods;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.promises.GatewayProcess;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of reads as of now ({@code max_staleness} 0) at a real kube-apiserver: their time, and
 * the requests that they cause at the apiserver. Each request asks for the first object only, so
 * that the time is that of the proof.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=ProvenReadBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
@WithSharedApiserver
@Tag("benchmark")
class ProvenReadBenchmark {
  private static final Resource TEMPLATES = new Resource("", "v1", "podtemplates", "PodTemplate");
  private static final int QUIET_OBJECTS = 100;
  private static final int BUSY_OBJECTS = 10_000;
  private static final int CHANGES_A_SECOND = 200;
  private static final int ASKERS = 200;
  private static final int ROUNDS = 20;

  /** Crowds before, since an apiserver that is asked was asked before, too. */
  private static final int WARM_UP_ROUNDS = 5;

  private static final int HEAP_MIB = 512;

  @Test
  void readsAsOfNow(Apiserver apiserver) throws Exception {
    Figures figures = new Figures();
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("quiet");
    create(QUIET_OBJECTS, i -> cluster.create(TEMPLATES, template(i)));
    try (GatewayProcess gateway = ReplicaAddress.ready(apiserver, HEAP_MIB);
        Channels channels = new Channels(gateway)) {
      channels.ask("podtemplates", "quiet");
      measure(
          "quiet type, 100 objects", "300", gateway, channels, "podtemplates", "quiet", figures);
      paced("quiet type", "quiet", "podtemplates", gateway, channels, figures);

      Figures.progress("creating %,d pods", BUSY_OBJECTS);
      PodPatcher patches = PodPatcher.start(Pods.create(cluster, BUSY_OBJECTS), CHANGES_A_SECOND);
      try {
        channels.ask("pods", "team-0"); // opens the type
        Thread.sleep(20_000); // in which the gateway compiles what handles changes
        paced("10,000 pods, 200 changes/s", "team-0", "pods", gateway, channels, figures);
        Figures.progress("%,d changes meanwhile", patches.written());
      } finally {
        patches.end();
      }
    }
    figures.print();
  }

  private static void measure(
      String what,
      String goal,
      GatewayProcess gateway,
      Channels channels,
      String resource,
      String namespace,
      Figures figures)
      throws Exception {
    double proofs = proofs(gateway);
    double most = 0;
    List<Duration> times = new ArrayList<>();
    for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      Thread.sleep(1_000); // so that each crowd is by itself
      double before = proofs(gateway);
      List<Duration> answers = channels.askAtOnce(ASKERS, resource, namespace);
      double more = proofs(gateway) - before;
      Figures.progress("crowd %d: %.0f requests, %s", round, more, Percentiles.of(answers));
      if (round >= 0) {
        times.addAll(answers);
        most = Math.max(most, more);
      }
    }
    Figures.progress("%s: %.0f proofs", what, proofs(gateway) - proofs);
    figures.add(what + ": 200 askers at once", Percentiles.of(times), "p99 below " + goal);
    figures.add(what + ": most requests upstream of one crowd", (long) most, "2");
  }

  /** One request each 5 ms, 1,000 in all. */
  private static void paced(
      String what,
      String namespace,
      String resource,
      GatewayProcess gateway,
      Channels channels,
      Figures figures)
      throws Exception {
    double before = proofs(gateway);
    long begun = System.nanoTime();
    List<Future<Duration>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 1_000; i++) {
        answers.add(threads.submit(() -> channels.ask(resource, namespace)));
        Thread.sleep(5);
      }
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    List<Duration> times = new ArrayList<>();
    for (Future<Duration> answer : answers) {
      times.add(answer.get());
    }
    boolean isBusy = resource.equals("pods");
    figures.add(
        what + ": 1,000 askers, 200 a second",
        Percentiles.of(times),
        isBusy ? "p99 below 100" : "none was set");
    figures.add(
        what + ": requests upstream a second meanwhile",
        Math.round((proofs(gateway) - before) / seconds),
        "3");
  }

  private static double proofs(GatewayProcess gateway) throws Exception {
    return gateway.metrics().sum("watchgate_freshness_proofs_total");
  }

  private interface Creation {
    void create(int number);
  }

  private static void create(int count, Creation creation) {
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      IntStream.range(0, count).forEach(i -> threads.execute(() -> creation.create(i)));
    }
  }

  private static JsonNode template(int number) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"PodTemplate","metadata":{"namespace":"quiet","name":"t%d"},
         "template":{"metadata":{},"spec":{"containers":[{"name":"c","image":"i"}]}}}
        """
            .formatted(number));
  }

  /** Some connections to a gateway. */
  private static final class Channels implements AutoCloseable {
    private final List<ManagedChannel> channels;

    Channels(GatewayProcess gateway) {
      channels =
          IntStream.range(0, 8)
              .<ManagedChannel>mapToObj(
                  i ->
                      ManagedChannelBuilder.forAddress(
                              gateway.uri().getHost(), gateway.uri().getPort())
                          .usePlaintext()
                          .build())
              .toList();
    }

    /** Asks for one object as of now, and returns the time that it took. */
    Duration ask(String resource, String namespace) {
      long begun = System.nanoTime();
      var _ =
          WatchServiceGrpc.newBlockingStub(channels.get((int) (begun / 1_000 % channels.size())))
              .listObjects(
                  ListObjectsRequest.newBuilder()
                      .setSelection(
                          Selection.newBuilder()
                              .setResourceType(ResourceType.newBuilder().setResource(resource))
                              .addNamespaces(namespace))
                      .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
                      .setPageSize(1)
                      .setMaxStaleness(com.google.protobuf.Duration.getDefaultInstance())
                      .build());
      return Duration.ofNanos(System.nanoTime() - begun);
    }

    List<Duration> askAtOnce(int askers, String resource, String namespace) throws Exception {
      CyclicBarrier together = new CyclicBarrier(askers);
      List<Future<Duration>> answers = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < askers; i++) {
          answers.add(
              threads.submit(
                  () -> {
                    together.await();
                    return ask(resource, namespace);
                  }));
        }
      }
      List<Duration> times = new ArrayList<>();
      for (Future<Duration> answer : answers) {
        times.add(answer.get());
      }
      return times;
    }

    @Override
    public void close() {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }
}
