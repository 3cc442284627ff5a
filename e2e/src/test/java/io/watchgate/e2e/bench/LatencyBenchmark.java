package io.watchgate.e2e.bench;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of the additional latency of a subscriber compared to a direct watch in the same run:
 * the same writes, both watches in this JVM, differences event by event. The limit is 1 ms at the
 * median.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dtest=LatencyBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
@WithSharedApiserver
@Tag("benchmark")
class LatencyBenchmark {
  private static final int WARMUP = 500;
  private static final int EVENTS = 2_000;
  private static final Duration PACE = Duration.ofMillis(10);

  @Test
  void oneSubscriberBesideADirectWatch(Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("latency");
    cluster.create(
        Resource.CONFIGMAPS,
        Json.parse(
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\",\"namespace\":\"latency\"},\"data\":{\"filler\":\""
                + "x".repeat(1_500)
                + "\"}}"));
    Map<String, Long> direct = new ConcurrentHashMap<>();
    Map<String, Long> through = new ConcurrentHashMap<>();
    ManagedChannel channel = null;
    try (GatewayUnderTest gateway =
            GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
        DirectWatch watch =
            DirectWatch.start(
                cluster, Resource.CONFIGMAPS, "latency", Map.of(), new DirectTimes(direct))) {
      channel =
          Grpc.newChannelBuilder("127.0.0.1:" + gateway.port(), InsecureChannelCredentials.create())
              .build();
      WatchServiceGrpc.newStub(channel).listAndWatch(request(), new GatewayTimes(through));
      await().until(() -> through.containsKey("synced") && direct.containsKey("synced"));
      for (int i = 0; i < WARMUP + EVENTS; i++) {
        cluster.patch(Resource.CONFIGMAPS, "latency", "c", "{\"data\":{\"n\":\"" + i + "\"}}");
        LockSupport.parkNanos(PACE.toNanos());
      }
      await().until(() -> direct.size() > WARMUP + EVENTS && through.size() > WARMUP + EVENTS);
      if (watch.failure() != null) {
        throw new IllegalStateException(watch.failure());
      }
    } finally {
      if (channel != null) {
        channel.shutdownNow();
      }
    }
    print(direct, through);
  }

  private static void print(Map<String, Long> direct, Map<String, Long> through) {
    double[] later =
        direct.keySet().stream()
            .filter(version -> !version.equals("synced"))
            .sorted(Comparator.comparingLong(Long::parseLong))
            .skip(WARMUP)
            .mapToDouble(version -> (time(through, version) - time(direct, version)) / 1e6)
            .sorted()
            .toArray();
    new PrintStream(System.out, true, StandardCharsets.UTF_8)
        .printf(
            Locale.ROOT,
            "one subscriber, %d events: later than the direct watch by p50 %.3f ms, p90 %.3f ms,"
                + " p99 %.3f ms, at most %.3f ms%n",
            later.length,
            later[later.length / 2],
            later[later.length * 9 / 10],
            later[later.length * 99 / 100],
            Arrays.stream(later).max().orElse(0));
  }

  private static long time(Map<String, Long> times, String version) {
    return requireNonNull(times.get(version), "an event is missing");
  }

  private static ListAndWatchRequest request() {
    return ListAndWatchRequest.newBuilder()
        .setSelection(
            Selection.newBuilder()
                .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
                .addNamespaces("latency"))
        .build();
  }

  private record DirectTimes(Map<String, Long> times) implements DirectWatch.Listener {
    @Override
    public void listed(long resourceVersion, List<JsonNode> objects) {
      times.put("synced", 0L);
    }

    @Override
    public void changed(DirectEvent event) {
      times.put(event.object().at("/metadata/resourceVersion").textValue(), System.nanoTime());
    }
  }

  private record GatewayTimes(Map<String, Long> times)
      implements StreamObserver<ListAndWatchResponse> {
    @Override
    public void onNext(ListAndWatchResponse response) {
      long now = System.nanoTime();
      if (response.hasSynced()) {
        times.put("synced", 0L);
      } else if (response.hasResumed() || times.containsKey("synced")) {
        for (WatchEvent event : response.getEventsList()) {
          times.put(event.getResourceVersion(), now);
        }
      }
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
