package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Callers;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of streams of many clients on one connection, as behind a proxy: one client does not affect
 * the others.
 */
final class SharedConnectionTest {
  private final ServerFixture fixture = new ServerFixture(SampleObject.of("n", "a", 50));
  private final ManagedChannel connection = fixture.connect();
  private final RawStream other = RawStream.open(connection, CONFIG_MAPS);

  @AfterEach
  void close() {
    fixture.close();
  }

  private void assertTheOtherIsServed() {
    int before = other.bytes().size();
    fixture.cluster.put(SampleObject.of("n", "a", 101));
    await().until(() -> other.bytes().size() > before);
    assertThat(other.isOver()).isFalse();
  }

  @Tag("slow")
  @Test
  void thousandStreamsThatAreCancelledOnceAnswered_endNothing() {
    await().until(other::isSynced);
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      streams.add(RawStream.open(connection, CONFIG_MAPS));
    }
    await().until(() -> streams.stream().allMatch(RawStream::isSynced));

    streams.forEach(RawStream::cancel);

    await().untilAsserted(() -> assertThat(fixture.places.usedSlots()).isOne());
    assertTheOtherIsServed();
    assertThat(fixture.server.connectionsReset()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {9_000, 12_000, 60_000, 200_000, 1_000_000})
  void callWithMuchMetadata_isRefusedAloneWithAReason(int bytes) {
    await().until(other::isSynced);

    RawStream refused =
        RawStream.open(ServerFixture.with(connection, "x-large", "y".repeat(bytes)), CONFIG_MAPS);

    refused.assertEnds("INVALID_ARGUMENT TOO_COMPLEX STOP");
    assertThat(refused.end().status().getDescription())
        .contains("bytes besides authorization, of at most 8192");
    assertTheOtherIsServed();
  }

  @Test
  void callsOfEachMethod_haveTheLimitOfMetadata() {
    Channel large = ServerFixture.with(connection, "x-large", "y".repeat(9_000));
    RawStream types =
        RawStream.begin(large, RawStream.raw(WatchServiceGrpc.getListResourceTypesMethod()));
    RawStream health =
        RawStream.begin(large, RawStream.raw(io.grpc.health.v1.HealthGrpc.getWatchMethod()));
    types.assertEnds("INVALID_ARGUMENT TOO_COMPLEX STOP");
    health.assertEnds("INVALID_ARGUMENT TOO_COMPLEX STOP");
  }

  @Tag("slow")
  @Test
  void longToken_isTakenUpTo64KibAndRefusedAboveWithItsSize() {
    String token = "t".repeat(RequestLimits.MAX_TOKEN_BYTES);
    ScriptedReviewers apiserver = new ScriptedReviewers();
    apiserver.knows(token, "ann");
    try (ServerFixture guarded =
        ServerFixture.withAccessControl(
            Callers.settings(AuthSettings.Quotas.DEFAULTS), apiserver)) {
      ManagedChannel shared = guarded.connect();
      RawStream served = RawStream.open(ServerFixture.withToken(shared, token), CONFIG_MAPS);
      await().until(served::isSynced);

      RawStream refused = RawStream.open(ServerFixture.withToken(shared, token + "t"), CONFIG_MAPS);

      refused.assertEnds("UNAUTHENTICATED CREDENTIALS_INVALID STOP");
      assertThat(refused.end().status().getDescription())
          .contains("has 65544 bytes; a token may have at most 65536");
      assertThat(served.isOver()).isFalse();
    }
  }
}
