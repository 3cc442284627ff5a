package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Test of a gateway whose heap holds the maximum of state: half of it in one type. */
@WithApiserver
final class NearlyFullHeapTest {
  private static final Resource REVISIONS =
      new Resource("apps", "v1", "controllerrevisions", "ControllerRevision");
  private static final String NAMESPACE = "nearly-full";

  private static final int HEAP_MIB = 64;
  private static final int FITTING_MIB = 28;
  private static final int TOO_MANY_MIB = 34;

  /** Least duration of writes; they go on until a fault has occurred. */
  private static final Duration WRITES = Duration.ofSeconds(2);

  private static final Duration LONGEST_WRITES = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final int SUBSCRIBERS = 24;
  private static final double RATE = 100;
  private static final int TRIALS = 5;

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  void nearlyFullHeap_breaksNoPromise(@OwnApiserver Apiserver apiserver) throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace(NAMESPACE);
    for (int i = 0; i < FITTING_MIB; i++) {
      create(cluster, i);
    }
    try (FaultInjector injector = FaultInjector.ofHeap(apiserver, HEAP_MIB, seed)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", injector.gateway().uri().getPort())
              .usePlaintext()
              .build();
      try {
        Iterator<ListAndWatchResponse> keys = watchKeys(channel);
        assertThat(keys.hasNext()).isTrue();
        await().atMost(LIMIT).until(() -> mib(injector) >= FITTING_MIB);

        assertNothingIsLost(apiserver, injector);

        for (int i = FITTING_MIB; i < TOO_MANY_MIB; i++) {
          create(cluster, i);
        }
        assertTypeIsRefused(channel, endOf(keys));
        assertNothingIsLost(apiserver, injector);
        assertThat(injector.gateway().isAlive()).isTrue();
      } finally {
        channel.shutdownNow();
      }
    }
  }

  /**
   * Repeats the trial if it was inconclusive: every subscriber may be disconnected during the
   * entire short trial, and then receives all writes in its snapshot, so that no single change was
   * checked.
   */
  private void assertNothingIsLost(Apiserver apiserver, FaultInjector injector) throws Exception {
    long judged = 0;
    for (int i = 0; i < TRIALS && judged == 0; i++) {
      JudgedRun trial =
          JudgedRun.ofKinds(
              apiserver,
              injector,
              List.of(SubscriberFault.values()),
              new CheckPlan(
                  SUBSCRIBERS, RATE, LONGEST_WRITES, seed + i, JudgedRun.SETTLE, Duration.ZERO),
              WRITES,
              1);
      trial.assertHolds(seed);
      assertThat(trial.faults()).isNotEmpty();
      judged = trial.result().report().of(Promise.COMPLETE).judged();
    }
    assertThat(judged).as("judged changes, seed %d", seed).isPositive();
  }

  /**
   * Opens the stream again, as a client does, while it ends because the heap is full. A stream that
   * was behind gets no new snapshot until the growing type has ended.
   */
  private static void assertTypeIsRefused(ManagedChannel channel, String firstEnd) {
    AtomicReference<String> end = new AtomicReference<>(firstEnd);
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              if (end.get().startsWith("this gateway's heap is full")) {
                end.set(endOf(watchKeys(channel)));
                return false;
              }
              return true;
            });
    assertThat(end.get())
        .contains("controllerrevisions.apps need more memory than this gateway has");
  }

  private static Iterator<ListAndWatchResponse> watchKeys(ManagedChannel channel) {
    return WatchServiceGrpc.newBlockingStub(channel).withDeadlineAfter(LONG).listAndWatch(keys());
  }

  private static String endOf(Iterator<ListAndWatchResponse> stream) {
    try {
      while (true) {
        stream.next();
      }
    } catch (StatusRuntimeException e) {
      return String.valueOf(e.getStatus().getDescription());
    }
  }

  private static double mib(FaultInjector injector) throws Exception {
    return injector
            .gateway()
            .metrics()
            .sum("watchgate_object_bytes", "type=\"controllerrevisions.apps\"")
        / (1 << 20);
  }

  private static ListAndWatchRequest keys() {
    return ListAndWatchRequest.newBuilder()
        .setSelection(
            Selection.newBuilder()
                .setResourceType(
                    ResourceType.newBuilder().setGroup("apps").setResource("controllerrevisions")))
        .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_KEY))
        .build();
  }

  private static void create(Cluster cluster, int number) {
    cluster.create(
        REVISIONS,
        Json.parse(
            """
            {"apiVersion":"apps/v1","kind":"ControllerRevision","revision":1,
             "metadata":{"name":"r%d","namespace":"%s"},"data":{"is":"%s"}}
            """
                .formatted(number, NAMESPACE, "x".repeat(1 << 20))));
  }
}
