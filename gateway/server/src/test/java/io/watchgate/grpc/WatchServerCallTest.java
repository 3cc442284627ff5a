package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of streams over a real connection, with a client that sees only bytes. */
final class WatchServerCallTest {
  private final ServerFixture fixture =
      new ServerFixture(SampleObject.of("ns", "a", 50), SampleObject.of("ns", "b", 60));

  @AfterEach
  void close() {
    fixture.close();
  }

  private void awaitNothingIsLeft() {
    await().until(() -> !fixture.isTypeOpen());
  }

  @Test
  void responses_haveTheSizeOfGeneratedMessages() {
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(stream::isSynced);
    fixture.cluster.put(SampleObject.of("ns", "a", 101));
    await().until(() -> stream.responses().getLast().getResourceVersion().equals("101"));

    List<ListAndWatchResponse> responses = stream.responses();
    assertThat(responses.stream().flatMap(r -> r.getEventsList().stream()))
        .extracting(event -> event.getKey().getName() + " " + event.getResourceVersion())
        .containsExactly("a 50", "b 60", "a 101");
    for (int i = 0; i < responses.size(); i++) { // the order of fields is free
      assertThat(stream.bytes().get(i)).hasSize(responses.get(i).getSerializedSize());
    }
    stream.cancel();
    awaitNothingIsLeft();
  }

  @Test
  void connection_isEqualForItsStreamsOnly() throws IOException {
    Queue<Object> connections = new ConcurrentLinkedQueue<>();
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
                    .addMethod(
                        WatchMethods.LIST_AND_WATCH,
                        (call, headers) -> {
                          connections.add(WatchServerCall.connectionOf(call));
                          return new ServerCall.Listener<>() {};
                        })
                    .build())
            .build()
            .start();
    List<ManagedChannel> channels =
        Stream.generate(() -> connect(server.getPort())).limit(2).toList();
    try {
      for (int i = 0; i < 4; i++) {
        int begun = i;
        RawStream.open(channels.get(i / 2), CONFIG_MAPS);
        await().until(() -> connections.size() > begun);
      }

      List<Object> byCall = List.copyOf(connections);
      assertThat(byCall.get(0)).isEqualTo(byCall.get(1)).isNotEqualTo(byCall.get(2));
      assertThat(byCall.get(2)).isEqualTo(byCall.get(3));
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
      server.shutdownNow();
    }
  }

  /** Two requests are one too many, and none is one too few. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void otherThanOneRequest_endsLikeGeneratedService(int requests) throws IOException {
    Server generated =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .addService(new WatchServiceGrpc.WatchServiceImplBase() {})
            .build()
            .start();
    ManagedChannel channel = connect(generated.getPort());
    try {
      Status status = asked(fixture.connect(), requests);
      Status theirs = asked(channel, requests);

      assertThat(status.getCode()).isEqualTo(theirs.getCode());
      assertThat(status.getDescription()).isEqualTo(theirs.getDescription());
      assertThat(fixture.isTypeOpen()).isFalse();
    } finally {
      channel.shutdownNow();
      generated.shutdownNow();
    }
  }

  private static ManagedChannel connect(int port) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  private static Status asked(ManagedChannel channel, int requests) {
    RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
    for (int i = 0; i < requests; i++) {
      stream.ask(CONFIG_MAPS.toByteArray());
    }
    stream.halfClose();
    stream.demand(1);
    return stream.end().status();
  }

  @Test
  void request_startsAfterHalfClose() {
    ManagedChannel channel = fixture.connect();
    RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.demand(10);
    // Requests of a connection are read in order, so the first one has arrived.
    assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    assertThat(fixture.isTypeOpen()).isFalse();

    stream.halfClose();

    await().until(stream::isSynced);
  }

  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 1 << 20, TransportSettings.MAX_INBOUND_BYTES - 1_000})
  void tooLargeRequest_isRefusedWithReason(int bytes) {
    ListAndWatchRequest large = CONFIG_MAPS.toBuilder().addFeatures("x".repeat(bytes)).build();

    RawStream stream = RawStream.open(fixture.connect(), large);

    stream.assertEnds("INVALID_ARGUMENT TOO_COMPLEX STOP");
  }

  @Test
  void invalidRequest_isRefusedWithReasonOnEveryMethod() {
    ManagedChannel channel = fixture.connect();
    for (var method : WatchServiceGrpc.getServiceDescriptor().getMethods()) {
      RawStream stream = RawStream.begin(channel, RawStream.raw(method));
      stream.ask(new byte[] {0x0A, 0x7F, 1});
      stream.halfClose();
      stream.demand(1);

      stream.assertEnds("INVALID_ARGUMENT VALUE_INVALID STOP");
    }
  }

  @Test
  void refusal_hasItsReason() {
    RawStream stream =
        RawStream.open(fixture.connect(), CONFIG_MAPS.toBuilder().setResourceVersion("0").build());

    stream.assertEnds("INVALID_ARGUMENT VALUE_INVALID STOP");
  }

  @Test
  void waitingForApiserver_doesNotBlockTheConnection() {
    CountDownLatch answer = fixture.cluster.blockRequests();
    ManagedChannel channel = fixture.connect();
    RawStream waiting = RawStream.open(channel, CONFIG_MAPS);

    assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    assertThat(
            WatchServiceGrpc.newBlockingStub(channel)
                .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
                .getTypesList())
        .hasSize(1);
    assertThat(waiting.responses()).isEmpty();

    answer.countDown();
    await().until(waiting::isSynced);
  }

  private static HealthCheckResponse.ServingStatus health(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  @Test
  void cancel_beforeOpening_releasesEverything() {
    ManagedChannel channel = fixture.connect();
    CountDownLatch answer = fixture.cluster.blockRequests();
    List<RawStream> streams =
        List.of(RawStream.open(channel, CONFIG_MAPS), RawStream.open(channel, CONFIG_MAPS));
    assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    streams.forEach(RawStream::cancel);
    assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);

    answer.countDown();

    RawStream other = RawStream.open(channel, CONFIG_MAPS);
    await().until(other::isSynced);
    other.cancel();
    awaitNothingIsLeft();
  }

  @Test
  void cancel_duringSnapshot_releasesEverything() {
    ManagedChannel channel = fixture.connect();
    RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.halfClose();
    stream.demand(1);
    await().until(() -> stream.responses().size() == 1);

    channel.shutdownNow();

    awaitNothingIsLeft();
  }

  @Test
  void slowReader_getsAllAfterReading() {
    RawStream stream = RawStream.begin(fixture.connect(), RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.halfClose();
    stream.demand(3);
    await().until(() -> stream.responses().size() == 3);
    for (int version = 101; version <= 400; version++) {
      fixture.cluster.put(SampleObject.of("ns", "a", version).padding(20_000));
    }

    stream.demand(1_000);

    await().until(() -> stream.responses().getLast().getResourceVersion().equals("400"));
    assertThat(
            stream.responses().stream()
                .flatMap(response -> response.getEventsList().stream())
                .filter(event -> Integer.parseInt(event.getResourceVersion()) > 100))
        .hasSize(300);
  }
}
