package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests over a real connection, and of the builder's argument checks. */
class WatchClientTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final ScriptedGateway gateway = new ScriptedGateway();
  private final ManualTimers timers = new ManualTimers();
  private final RecordingListener listener = new RecordingListener();

  private Server serve(int port) throws IOException {
    return Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create())
        .addService(gateway)
        .build()
        .start();
  }

  /** Otherwise gRPC's own backoff of up to two minutes would be added to the client's. */
  @Tag("slow")
  @Test
  void afterLongOutage_firstAttemptConnects() throws Exception {
    Server server = serve(0);
    int port = server.getPort();
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
            .disableRetry()
            .build();
    try (WatchClient client =
        WatchClient.to("127.0.0.1", port).channel(channel).timers(timers).build()) {
      client.watch(ListAndWatchRequest.getDefaultInstance(), listener);
      gateway.next().snapshot(10, "a");
      listener.until(WatchUpdate.SnapshotComplete.class);
      server.shutdownNow().awaitTermination();
      for (int attempt = 1; attempt < 8; attempt++) {
        WatchUpdate.Interrupted interrupted = listener.next(WatchUpdate.Interrupted.class);
        assertThat(interrupted.attempt()).isEqualTo(attempt);
        if (attempt > 1) {
          assertThat(((Interruption.Failed) interrupted.cause()).error().message())
              .contains("refused");
        }
        // The stream fails before the channel has left the connection or has recorded the failure.
        await().until(() -> channel.getState(false) != ConnectivityState.READY);
        timers.runNext();
      }
      listener.next(WatchUpdate.Interrupted.class);
      await().until(() -> channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE);
      server = serve(port);
      timers.runNext();

      gateway.next().resumed(10);
      assertThat(listener.next(WatchUpdate.Reconnected.class).attempts()).isEqualTo(8);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void largestRequestedResponse_isAccepted() throws Exception {
    Server server = serve(0);
    ListAndWatchRequest request =
        ListAndWatchRequest.newBuilder()
            .setDelivery(Delivery.newBuilder().setMaxResponseBytes(8 << 20))
            .build();
    try (WatchClient client = WatchClient.to("127.0.0.1", server.getPort()).build()) {
      client.watch(request, listener);
      gateway
          .next()
          .send(
              ScriptedGateway.at(10)
                  .addEvents(
                      WatchEvent.newBuilder()
                          .setType(EventType.EVENT_TYPE_ADDED)
                          .setObject(ByteString.copyFrom(new byte[6 << 20]))));

      assertThat(listener.next(WatchUpdate.Changes.class).events()).hasSize(1);
    } finally {
      server.shutdownNow();
    }
  }

  private static ListObjectsResponse page(String object, String next, int staleSeconds) {
    return ListObjectsResponse.newBuilder()
        .addObjects(WatchEvent.newBuilder().setObject(ByteString.copyFromUtf8(object)))
        .setNextPageToken(ByteString.copyFromUtf8(next))
        .setResourceVersion("10")
        .setStaleness(com.google.protobuf.Duration.newBuilder().setSeconds(staleSeconds))
        .build();
  }

  private static StatusRuntimeException expiredPage() {
    Metadata trailers = new Metadata();
    trailers.put(
        Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), "PAGE_EXPIRED");
    trailers.put(Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), "RESTART");
    return Status.OUT_OF_RANGE.asRuntimeException(trailers);
  }

  @Test
  void listOfAllObjects_beginsAgainWhenAPageExpires() throws Exception {
    Server server = serve(0);
    gateway.pages.addAll(
        List.of(page("x", "1", 1), expiredPage(), page("a", "2", 3), page("b", "", 4)));
    try (WatchClient client = WatchClient.to("127.0.0.1", server.getPort()).build()) {
      ListObjectsResponse all =
          client.listAllObjects(ListObjectsRequest.newBuilder().setPageSize(1).build(), LIMIT);

      assertThat(all.getObjectsList())
          .extracting(event -> event.getObject().toStringUtf8())
          .containsExactly("a", "b");
      assertThat(all.getStaleness().getSeconds()).isEqualTo(3);
      assertThat(all.getResourceVersion()).isEqualTo("10");
      assertThat(gateway.listed)
          .extracting(request -> request.getPageToken().toStringUtf8())
          .containsExactly("", "1", "", "2");
      assertThat(gateway.listed).allMatch(request -> request.getPageSize() == 1);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void listOfAllObjects_endsAfterThreeExpiredPages() throws Exception {
    Server server = serve(0);
    gateway.pages.addAll(List.of(expiredPage(), expiredPage(), expiredPage()));
    try (WatchClient client = WatchClient.to("127.0.0.1", server.getPort()).build()) {
      assertThatThrownBy(
              () -> client.listAllObjects(ListObjectsRequest.getDefaultInstance(), LIMIT))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("OUT_OF_RANGE");
      assertThat(gateway.listed).hasSize(3);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void call_afterErrorWithoutReason_isRepeated() throws Exception {
    Server server = serve(0);
    gateway.types = ListResourceTypesResponse.getDefaultInstance();
    ImmediateTimers waits = new ImmediateTimers();
    try (WatchClient client = WatchClient.to("127.0.0.1", server.getPort()).timers(waits).build()) {
      int failures = 0;
      for (Status bare : List.of(Status.UNIMPLEMENTED, Status.UNAVAILABLE, Status.NOT_FOUND)) {
        gateway.failures.add(bare.asRuntimeException());
        assertThat(client.listResourceTypes(LIMIT)).isEqualTo(gateway.types);
        assertThat(waits.delays()).hasSize(++failures);
      }
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void call_refusedByGateway_isNotRepeated() throws Exception {
    Server server = serve(0);
    Metadata trailers = new Metadata();
    trailers.put(
        Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), "ACCESS_DENIED");
    gateway.failures.add(Status.PERMISSION_DENIED.asRuntimeException(trailers));
    gateway.types = ListResourceTypesResponse.getDefaultInstance();
    try (WatchClient client =
        WatchClient.to("127.0.0.1", server.getPort()).timers(timers).build()) {
      assertThatThrownBy(() -> client.listResourceTypes(LIMIT))
          .hasMessageContaining("PERMISSION_DENIED");
      assertThat(timers.idle()).isTrue();
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void invalidAddress_isRefused() {
    assertThatThrownBy(() -> WatchClient.to("localhost", 0)).hasMessageContaining("port 0");
    assertThatThrownBy(() -> WatchClient.to("localhost", 65_536)).hasMessageContaining("65536");
    assertThatThrownBy(() -> WatchClient.to("", 7443)).hasMessageContaining("host is empty");
  }

  @Test
  void refusesAGroupLimitBelowOneMebibyte() {
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).maxGroupBytes(1000))
        .hasMessageContaining("1000");
  }

  @Test
  void fileWithoutCertificate_isRefused(@TempDir Path directory) throws IOException {
    Path empty = Files.createFile(directory.resolve("empty.pem"));
    Path text = Files.writeString(directory.resolve("text.pem"), "this is no certificate");

    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tls(empty))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("empty.pem");
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tls(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("text.pem");
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tls(directory.resolve("none")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none: there is no such file");
  }

  @Test
  void invalidIdentity_isRefused(@TempDir Path directory) throws IOException {
    Path text = Files.writeString(directory.resolve("text.pem"), "neither of both");

    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).clientCertificate(text, text))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call tls() first");
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tls().clientCertificate(text, text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("text.pem");
  }

  @Test
  void invalidServerName_isRefused() {
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tls().tlsServerName("gateway:7443"))
        .hasMessageContaining("'gateway:7443' is not a host name");
    assertThatThrownBy(() -> WatchClient.to("localhost", 7443).tlsServerName("gateway").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call tls() too");
  }
}
