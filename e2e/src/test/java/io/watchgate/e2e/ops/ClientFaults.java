package io.watchgate.e2e.ops;

import io.grpc.Channel;
import io.watchgate.cache.CacheSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gateways whose clients, limits or memory have a fault. Streams that only have to be open are of
 * pods, which never change: nothing can be late.
 */
final class ClientFaults {
  private static final long SHORT_HISTORY_BYTES = 1 << 20;

  /** More than fit beside the state of the gateway whose heap is full. */
  private static final int IDLE_STREAMS = 4_000;

  private static final int STALLED_STREAMS = 60;

  private static final int STREAMS_OF_A_CONNECTION = 500;

  private static final Resource REVISIONS =
      new Resource("apps", "v1", "controllerrevisions", "ControllerRevision");

  private final FaultEnvironment environment;

  ClientFaults(FaultEnvironment environment) {
    this.environment = environment;
  }

  /** Returns the starts of the gateways. */
  List<FaultyGateway.Start> all() {
    return List.of(
        this::deliveryLate,
        this::subscribersLag,
        this::historyShort,
        this::refusing,
        this::nearLimit,
        this::heapShort);
  }

  private static ListAndWatchRequest secrets(LagPolicy policy) {
    return Requests.watch("secrets", FaultEnvironment.NAMESPACE)
        .setDelivery(Delivery.newBuilder().setLagPolicy(policy))
        .build();
  }

  private FaultyGateway deliveryLate() {
    // The only stream of its type reads slowly, so its gateway hands all changes over late.
    FaultyGateway late = new FaultyGateway("delivery-late", "WatchgateDeliveryLate");
    GatewayUnderTest gateway =
        late.start(environment.kubeconfig(), GatewaySetup.AS_SERVED.opening("secrets"));
    Subscriber slow =
        late.own(
            Subscriber.unhurried(
                late.connect(gateway.port()), secrets(LagPolicy.LAG_POLICY_RESYNC)));
    late.repeat(Duration.ofSeconds(2), () -> slow.read(1)); // several are written meanwhile
    return late;
  }

  private FaultyGateway subscribersLag() {
    // Streams end as lagged behind a history that is short, and so trimmed all the time.
    // The last responses of a stalled stream are handed over late, if at all.
    FaultyGateway lag =
        new FaultyGateway("subscribers-lag", "WatchgateSubscribersLag")
            .accompaniedBy("WatchgateHistoryShort", "WatchgateDeliveryLate");
    CacheSettings cache =
        GatewaySetup.AS_SERVED
            .cache()
            .withHistory(Duration.ofMinutes(10), SHORT_HISTORY_BYTES)
            .withLaggardBytes(SHORT_HISTORY_BYTES);
    GatewayUnderTest gateway =
        lag.start(environment.kubeconfig(), GatewaySetup.AS_SERVED.with(cache).opening("secrets"));
    AtomicInteger opened = new AtomicInteger();
    return lag.broken(
        () ->
            lag.repeat(
                FaultEnvironment.PACE.multipliedBy(3),
                () -> {
                  if (opened.getAndIncrement() < STALLED_STREAMS) {
                    // It never learns of its end, because it does not read.
                    Subscriber stalled =
                        lag.own(
                            Subscriber.unhurried(
                                lag.connect(gateway.port()),
                                secrets(LagPolicy.LAG_POLICY_DISCONNECT)));
                    stalled.read(3); // opened, begin of the snapshot, its objects and its end
                  }
                }));
  }

  private FaultyGateway historyShort() {
    FaultyGateway shortened = new FaultyGateway("history-short", "WatchgateHistoryShort");
    int port =
        shortened
            .scraped(
                shortened.serve(
                    environment.kubeconfig(), "--type", "secrets", "--history-mib", "1"))
            .grpc();
    // A user that lags, for the net effects that the dashboard shows.
    Subscriber slow =
        shortened.own(
            Subscriber.unhurried(shortened.connect(port), secrets(LagPolicy.LAG_POLICY_RESYNC)));
    shortened.repeat(FaultEnvironment.PACE.multipliedBy(50), () -> slow.read(5));
    return shortened;
  }

  private Path developers() throws IOException {
    return Files.writeString(
        environment.folder().resolve("developers.csv"), "a-token,developer,1,\"team\"\n");
  }

  private FaultyGateway refusing() throws IOException {
    // More calls than the user's rate. A limit on open streams would be nearly reached, too.
    FaultyGateway refusing = new FaultyGateway("refusing", "WatchgateRefusing");
    int port =
        refusing
            .scraped(
                refusing.serve(
                    environment.kubeconfig(),
                    "--token-file",
                    developers().toString(),
                    "--authorization",
                    "none",
                    "--audit-log",
                    "none",
                    "--max-opens-per-user",
                    "1"))
            .grpc();
    Channel channel = FaultyGateway.with(refusing.connect(port), "a-token");
    refusing.repeat(
        FaultEnvironment.PACE,
        () -> {
          try (Subscriber call =
              Subscriber.open(
                  channel, Requests.watch("pods", FaultEnvironment.NAMESPACE).build())) {
            FaultEnvironment.awaitAnswer(call);
          }
        });
    return refusing;
  }

  private FaultyGateway nearLimit() {
    FaultyGateway near = new FaultyGateway("near-limit", "WatchgateNearLimit");
    int port = near.scraped(near.serve(environment.kubeconfig(), "--max-streams", "10")).grpc();
    Channel channel = near.connect(port);
    return near.broken(
        () -> {
          for (int i = 0; i < 9; i++) {
            near.own(
                Subscriber.open(
                    channel, Requests.watch("pods", FaultEnvironment.NAMESPACE).build()));
          }
        });
  }

  private FaultyGateway heapShort() {
    // A state that nearly fills the heap, and more idle streams than the rest has room for.
    FaultyGateway full =
        new FaultyGateway("heap-short", "WatchgateHeapShort").accompaniedBy("WatchgateNearLimit");
    environment.cluster().createNamespace("full");
    for (int i = 0; i < 76; i++) {
      environment
          .cluster()
          .create(
              REVISIONS,
              Json.parse(
                  """
                  {"apiVersion":"apps/v1","kind":"ControllerRevision","revision":1,
                   "metadata":{"namespace":"full","name":"r%d"},"data":{"text":"%s"}}
                  """
                      .formatted(i, "x".repeat(1 << 18))));
    }
    Command command =
        full.own(
            Command.start(
                48,
                FaultyGateway.line(
                    environment.kubeconfig(), "--type", "controllerrevisions.apps")));
    int port = full.scraped(command).grpc();
    List<Channel> channels = new ArrayList<>();
    // One after the other: each refused stream releases memory, so many at once would make room
    // again.
    ListAndWatchRequest request = Requests.watch("controllerrevisions", "none").build();
    AtomicInteger open = new AtomicInteger();
    AtomicBoolean refused = new AtomicBoolean();
    return full.broken(
        () ->
            full.repeat(
                Duration.ofMillis(1),
                () -> {
                  if (!refused.get() && open.get() < IDLE_STREAMS) {
                    if (open.getAndIncrement() % STREAMS_OF_A_CONNECTION == 0) {
                      channels.add(full.connect(port));
                    }
                    Subscriber idle = Subscriber.open(channels.getLast(), request);
                    FaultEnvironment.awaitAnswer(idle);
                    refused.set(idle.isOver());
                  }
                }));
  }
}
