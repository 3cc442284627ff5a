package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.watchgate.cache.TypeReference;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.kube.ClientConfig;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.server.Gateway;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Test of a gateway that is started before its apiserver. */
@Tag("slow")
@Timeout(300)
final class StartingGatewayTest {
  @Command
  private static final class Serve {
    @Mixin private final ServeOptions options = new ServeOptions();
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static WatchError refusal(Callable<?> call) throws Exception {
    try {
      call.call();
    } catch (StatusRuntimeException e) {
      return WatchError.of(e);
    }
    throw new AssertionError("the call was answered");
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void apiserverIsAway_callsGetStarting_andAreServedOnceItAnswers() throws Exception {
    Serve serve = new Serve();
    new CommandLine(serve).parseArgs("--listen=127.0.0.1:0", "--http-listen=127.0.0.1:0");
    int port = freePort();
    try (Gateway gateway =
        new Gateway(
            ClientConfig.plaintext("127.0.0.1:" + port, "the apiserver of the test"),
            serve.options.settings(Runtime.getRuntime().maxMemory()))) {
      Thread starting = Thread.ofVirtual().start(() -> start(gateway));
      await().until(() -> isListening(gateway));
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
      try (WatchClient client = WatchClient.to("127.0.0.1", gateway.port()).build()) {
        assertThat(health(channel)).isEqualTo(ServingStatus.NOT_SERVING);
        for (Callable<?> call : calls(channel)) {
          WatchError error = refusal(call);
          assertThat(error.reason()).isEqualTo("STARTING");
          assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(2));
          assertThat(error.message()).contains("it cannot read from the apiserver yet");
        }
        assertThat(get(gateway.httpPort(), "/livez").statusCode()).isEqualTo(200);
        await()
            .untilAsserted(
                () ->
                    assertThat(get(gateway.httpPort(), "/readyz").body())
                        .contains("waiting for the apiserver"));
        try (Informer<ByteString> namespaces =
            Informer.of(client, "namespaces", Decoder.raw()).start()) {
          InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
          try (EmbeddedSandbox sandbox =
              new EmbeddedSandbox(1L << 30, address, "--listen", null, 1, Optional.empty())) {
            assertThat(sandbox.hostPort()).endsWith(":" + port);
            namespaces.awaitSynced(Duration.ofMinutes(3));
            assertThat(namespaces.snapshot().get("", "kube-system")).isPresent();
            starting.join(); // it serves before it is ready
            assertThat(health(channel)).isEqualTo(ServingStatus.SERVING);
            assertThat(get(gateway.httpPort(), "/readyz").statusCode()).isEqualTo(200);
          }
        }
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void typeToKeepOpen_unknown_isNamedWithSimilarOnes() throws Exception {
    try (SandboxedGateway gateway =
        new SandboxedGateway(
            new TypeReference("", "", "podz"), new TypeReference("", "", "pods"))) {
      assertThat(gateway.description())
          .endsWith(
              "; types kept open: pods; not open: podz (the apiserver knows no such resource type;"
                  + " near: pods)");
    }
    try (SandboxedGateway gateway = new SandboxedGateway()) {
      assertThat(gateway.description())
          .endsWith("; types kept open: none, each is opened on demand");
    }
  }

  private static Iterable<Callable<?>> calls(ManagedChannel channel) {
    WatchServiceGrpc.WatchServiceBlockingStub stub = WatchServiceGrpc.newBlockingStub(channel);
    Selection pods =
        Selection.newBuilder()
            .setResourceType(ResourceType.newBuilder().setResource("pods"))
            .build();
    return List.of(
        () -> stub.listResourceTypes(ListResourceTypesRequest.getDefaultInstance()),
        () -> stub.listObjects(ListObjectsRequest.newBuilder().setSelection(pods).build()),
        () ->
            stub.listAndWatch(ListAndWatchRequest.newBuilder().setSelection(pods).build()).next());
  }

  private static ServingStatus health(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private static boolean isListening(Gateway gateway) {
    try {
      return gateway.port() > 0;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static void start(Gateway gateway) {
    try {
      gateway.start();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
