package io.watchgate.e2e.ops;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Channel;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Apiservers, their writer and a gateway without a fault. */
final class FaultEnvironment {
  /** Has small config maps, which change all the time. */
  static final String NAMESPACE = "monitored";

  static final Resource SECRETS = new Resource("", "v1", "secrets", "Secret");

  /** Pause between the writes, and between the calls of clients. */
  static final Duration PACE = Duration.ofMillis(300);

  /** Audience of the apiserver's own tokens. */
  private static final String AUDIENCE = "https://kubernetes.default.svc";

  private static final int LARGE_BYTES = 100_000;

  private final Apiserver apiserver;
  private final Apiserver stoppable;
  private final Path folder;

  /**
   * @param stoppable apiserver of one gateway, which is stopped
   */
  FaultEnvironment(Apiserver apiserver, Apiserver stoppable, Path folder) {
    this.apiserver = apiserver;
    this.stoppable = stoppable;
    this.folder = folder;
  }

  Apiserver apiserver() {
    return apiserver;
  }

  Apiserver stoppable() {
    return stoppable;
  }

  Path folder() {
    return folder;
  }

  Path kubeconfig() {
    return apiserver.kubeconfig();
  }

  Cluster cluster() {
    return apiserver.cluster();
  }

  /** Writes small config maps and a large secret until it is closed. */
  FaultyGateway writer() {
    cluster().createNamespace(NAMESPACE);
    cluster().create(Resource.CONFIGMAPS, configMap("busy", "0"));
    cluster()
        .create(
            SECRETS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"%s","name":"large"},
                 "stringData":{"value":"0","text":"%s"}}
                """
                    .formatted(NAMESPACE, "x".repeat(LARGE_BYTES))));
    FaultyGateway writer = new FaultyGateway("writer");
    AtomicInteger value = new AtomicInteger();
    writer.repeat(
        PACE,
        () -> {
          int next = value.incrementAndGet();
          cluster()
              .patch(
                  Resource.CONFIGMAPS,
                  NAMESPACE,
                  "busy",
                  "{\"data\":{\"value\":\"%d\"}}".formatted(next));
          cluster()
              .patch(
                  SECRETS,
                  NAMESPACE,
                  "large",
                  "{\"stringData\":{\"value\":\"%d\"}}".formatted(next));
        });
    return writer;
  }

  static JsonNode configMap(String name, String value) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"},
         "data":{"value":"%s"}}
        """
            .formatted(NAMESPACE, name, value));
  }

  static void awaitAnswer(Subscriber stream) {
    await()
        .atMost(Subscriber.LIMIT)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> stream.isOver() || stream.isSynced());
  }

  static void resumeBriefly(Subscriber earlier, Channel channel) {
    try (Subscriber back = earlier.resume(channel)) {
      await() // the first response says nothing but that the stream is open
          .atMost(Subscriber.LIMIT)
          .until(() -> back.isOver() || back.responses().size() > 1);
    }
  }

  /** Returns a gateway without a fault, with clients of every interface. */
  FaultyGateway healthy() throws IOException {
    FaultyGateway healthy = new FaultyGateway("healthy");
    Command.Ports ports =
        healthy.scraped(
            healthy.serve(
                apiserver.kubeconfig(),
                "--type",
                "configmaps",
                "--type",
                "pods",
                "--token-review",
                "--token-audience",
                AUDIENCE,
                "--audit-log",
                folder.resolve("audit.log").toString(),
                "--kube-listen",
                "127.0.0.1:0"));
    Channel channel = FaultyGateway.with(healthy.connect(ports.grpc()), apiserver.token());
    ListAndWatchRequest request = Requests.watch("configmaps", NAMESPACE).build();
    Subscriber first = healthy.own(Subscriber.open(channel, request).begun());
    healthy.own(Subscriber.open(channel, Requests.watch("pods").build()).begun());
    Cluster kube =
        healthy.own(
            Cluster.plaintext(URI.create("http://127.0.0.1:" + ports.kube()), apiserver.token()));
    resumeAtSuccessor(healthy, request);
    healthy.repeat(
        Duration.ofMillis(500),
        () -> {
          Subscriber.open(channel, request).begun().close();
          resumeBriefly(first, channel);
          kube.list(Resource.CONFIGMAPS, NAMESPACE, Map.of("resourceVersion", "0"));
          kube.list(Resource.NAMESPACES, "", Map.of());
        });
    return healthy;
  }

  /** A token that is older than its gateway: the apiserver has the changes since then. */
  private void resumeAtSuccessor(FaultyGateway healthy, ListAndWatchRequest request) {
    GatewaySetup setup = GatewaySetup.AS_SERVED.opening("configmaps");
    Subscriber earlier;
    try (GatewayUnderTest predecessor = GatewayUnderTest.start(kubeconfig(), setup)) {
      earlier = Subscriber.open(healthy.connect(predecessor.port()), request).begun();
      earlier.close();
    }
    GatewayUnderTest successor = healthy.start(kubeconfig(), setup);
    resumeBriefly(earlier, healthy.connect(successor.port()));
  }
}
