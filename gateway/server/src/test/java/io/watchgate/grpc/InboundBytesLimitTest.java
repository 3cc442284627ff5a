package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.QuotaFailure;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.StatusProto;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that half a request keeps memory only up to a limit, and blocks no other client. */
final class InboundBytesLimitTest {
  /** Pieces of a stream, for which about 2 MiB are counted. */
  private static final int PIECES = 23_000;

  private static final ListAndWatchRequest LARGE =
      CONFIG_MAPS.toBuilder().addFeatures("x".repeat(65_000)).build();

  private final ServerFixture fixture = new ServerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  static Stream<MethodDescriptor<byte[], byte[]>> methods() {
    return Stream.of(
        RawStream.LIST_AND_WATCH, RawStream.raw(WatchServiceGrpc.getListObjectsMethod()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "watchgate.v1.WatchService/ListAndWatch",
        "watchgate.v1.WatchService/ListObjects",
        "grpc.health.v1.Health/Check",
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
      })
  void halfRequestsInManyPieces_areRefused(String method) throws IOException {
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      int first = client.begin(method, PIECES);
      int second = client.begin(method, PIECES);
      for (int i = 0; i < 7; i++) {
        client.begin(method, PIECES);
      }

      assertThat(client.awaitEnd()).isEqualTo(first);
      RawStream whole = RawStream.open(fixture.connect(), CONFIG_MAPS);
      await().until(whole::isSynced);
      client.begin(method, PIECES);
      assertThat(client.awaitEnd()).isIn(first, second);
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void callWithoutHalfClose_isRefusedWithReason(MethodDescriptor<byte[], byte[]> method)
      throws InvalidProtocolBufferException {
    ManagedChannel channel = fixture.connect();
    RawStream connected = RawStream.open(channel, CONFIG_MAPS); // else their order is undefined
    await().until(connected::isSynced);
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      RawStream stream = RawStream.begin(channel, method);
      stream.ask(LARGE.toByteArray());
      stream.demand(1);
      streams.add(stream);
    }

    RawStream first = streams.getFirst();
    first.assertEnds("RESOURCE_EXHAUSTED QUOTA RESUME");
    QuotaFailure failure =
        Objects.requireNonNull(
                StatusProto.fromStatusAndTrailers(first.end().status(), first.end().trailers()))
            .getDetails(1)
            .unpack(QuotaFailure.class);
    assertThat(failure.getViolations(0).getSubject()).isEqualTo("requests:bytes");
    RawStream whole = RawStream.open(channel, CONFIG_MAPS);
    await().until(whole::isSynced);
  }

  @Test
  void completeRequests_areNotCounted() {
    ManagedChannel channel = fixture.connect();
    byte[] large = LARGE.toBuilder().setResourceVersion("0").build().toByteArray();
    for (int i = 0; i < 100; i++) {
      RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
      stream.ask(large);
      stream.halfClose();
      stream.demand(1);
      stream.assertEnds("INVALID_ARGUMENT VALUE_INVALID STOP");
    }
    List<RawStream> open = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      open.add(RawStream.open(channel, CONFIG_MAPS));
    }
    await().until(() -> open.stream().allMatch(RawStream::isSynced));
    open.forEach(RawStream::cancel);
    await().until(() -> fixture.places.usedSlots() == 0);
  }
}
