package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of readers that stop reading, next to a reader that keeps up. History is so short that the
 * slow readers fall out of it, and only the revision that they pin is kept for them.
 */
@WithSharedApiserver
final class SlowReaderTest {
  private static final int HISTORY_BYTES = 1 << 20;
  private static final int OBJECT_BYTES = 200_000;
  private static final int CHANGES = 60;

  private static final int LARGE_BUDGET = 64 << 20;

  /** Gateway, its objects, and the reader that keeps up. */
  private record Scene(TestGateway gateway, ConfigMaps maps, Subscriber reader)
      implements AutoCloseable {

    /**
     * @param laggardBytes limit of the state kept for laggards after it was trimmed from history
     */
    static Scene of(Apiserver apiserver, int laggardBytes) {
      TestGateway gateway =
          TestGateway.start(
              apiserver.kubeconfig(),
              GatewaySetup.QUICK.with(
                  GatewaySetup.QUICK
                      .cache()
                      .withHistory(Duration.ofMinutes(10), HISTORY_BYTES)
                      .withLaggardBytes(laggardBytes)));
      ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "slow");
      maps.create("large", 0, "x".repeat(OBJECT_BYTES));
      Subscriber reader = gateway.subscribe(request(maps, LagPolicy.LAG_POLICY_RESYNC)).begun();
      return new Scene(gateway, maps, reader);
    }

    @Override
    public void close() {
      reader.close();
      gateway.close();
    }

    private static ListAndWatchRequest request(ConfigMaps maps, LagPolicy policy) {
      return watch("configmaps", maps.namespace())
          .setDelivery(Delivery.newBuilder().setLagPolicy(policy))
          .build();
    }

    /** Returns a stream on a separate connection that requests nothing after the snapshot. */
    Subscriber withoutDemand(LagPolicy policy) {
      ManagedChannel channel = gateway.connect(gateway.port(), TestGateway.SMALL_WINDOW);
      Subscriber slow = Subscriber.unhurried(channel, request(maps, policy));
      slow.read(3); // opened, begin of the snapshot, its one object and its end
      return slow.begun();
    }

    /**
     * Makes far more changes than transport and history can hold. The reader receives each change
     * before the change after next is made, so that it needs no history itself on a busy machine.
     */
    void changeALot() {
      for (int value = 1; value <= CHANGES; value++) {
        maps.set("large", value);
        int sent = value;
        await()
            .atMost(Subscriber.LIMIT)
            .pollInterval(Duration.ofMillis(2))
            .until(() -> reader.fold().changes().size() >= sent - 1);
      }
      await().atMost(Subscriber.LIMIT).until(() -> reader.fold().changes().size() == CHANGES);
      assertThat(reader.fold().values(maps.key("large")))
          .isEqualTo(IntStream.rangeClosed(1, CHANGES).boxed().toList());
      assertThat(reader.fold().violations()).isEmpty();
      assertThat(reader.fold().signals()).containsExactly("OPENED", "SNAPSHOT REQUESTED", "SYNCED");
    }

    void assertMemoryIsBounded(double mostSentToSlow) {
      double read =
          reader.responses().stream().mapToInt(ListAndWatchResponse::getSerializedSize).sum();
      assertThat(gateway.metric("watchgate_response_bytes_total", "type=\"configmaps\"") - read)
          .as("bytes handed to the transport of the stream that does not read")
          .isLessThan(mostSentToSlow);
      assertThat(gateway.metric("watchgate_history_bytes", "type=\"configmaps\""))
          .as("bytes of history")
          .isBetween(1.0, HISTORY_BYTES + 2.0 * OBJECT_BYTES);
      await("how far behind the slow one is, which is measured once a second")
          .atMost(Subscriber.LIMIT)
          .until(
              () ->
                  gateway.metric("watchgate_stream_lag_events", "type=\"configmaps\"")
                      > CHANGES / 4.0);
    }

    /**
     * Checks that the responses requested earlier came in order and without a gap, and then only
     * the last state.
     */
    void assertCaughtUpByNetEffect(Subscriber slow) {
      maps.awaitEqual(slow);
      assertThat(slow.fold().signals()).endsWith("SYNCED", "NET_EFFECT LAG");
      List<Integer> values = slow.fold().values(maps.key("large"));
      List<Integer> single = values.subList(0, values.size() - 1);
      assertThat(single)
          .isEqualTo(IntStream.rangeClosed(1, single.size()).boxed().toList())
          .hasSizeLessThan(CHANGES - 1);
      assertThat(values).endsWith(CHANGES);
      maps.set("large", CHANGES + 1);
      maps.awaitEqual(slow);
    }
  }

  @Test
  void readerWithoutDemand_catchesUpByNetEffect(Apiserver apiserver) {
    try (Scene scene = Scene.of(apiserver, LARGE_BUDGET);
        Subscriber slow = scene.withoutDemand(LagPolicy.LAG_POLICY_RESYNC)) {
      scene.changeALot();
      scene.assertMemoryIsBounded(5.0 * OBJECT_BYTES);

      slow.read(1_000);

      scene.assertCaughtUpByNetEffect(slow);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HELD", "DRIPPING"})
  void slowSocket_catchesUpByNetEffect(ThrottlingProxy.Flow flow, Apiserver apiserver) {
    try (Scene scene = Scene.of(apiserver, LARGE_BUDGET);
        ThrottlingProxy proxy = ThrottlingProxy.to(scene.gateway.port())) {
      ManagedChannel channel = scene.gateway.connect(proxy.port(), TestGateway.LARGE_WINDOW);
      try (Subscriber slow =
          Subscriber.open(channel, Scene.request(scene.maps, LagPolicy.LAG_POLICY_RESYNC))
              .begun()) {
        proxy.flow(flow);
        scene.changeALot();
        scene.assertMemoryIsBounded(CHANGES * OBJECT_BYTES * 0.75);

        assertThat(proxy.dripped() > 0)
            .as("bytes dripped")
            .isEqualTo(flow == ThrottlingProxy.Flow.DRIPPING);
        proxy.flow(ThrottlingProxy.Flow.FREE);

        scene.assertCaughtUpByNetEffect(slow);
      }
    }
  }

  @Test
  void laggardAboveBudget_getsSnapshot(Apiserver apiserver) {
    try (Scene scene = Scene.of(apiserver, HISTORY_BYTES);
        Subscriber slow = scene.withoutDemand(LagPolicy.LAG_POLICY_RESYNC)) {
      scene.changeALot();

      slow.read(1_000);

      scene.maps.awaitEqual(slow);
      assertThat(slow.fold().signals()).endsWith("SYNCED", "SNAPSHOT POSITION_EXPIRED", "SYNCED");
    }
  }

  @Test
  void disconnectPolicy_endsAndResumesFromToken(Apiserver apiserver) {
    try (Scene scene = Scene.of(apiserver, HISTORY_BYTES);
        Subscriber slow = scene.withoutDemand(LagPolicy.LAG_POLICY_DISCONNECT)) {
      scene.changeALot();
      await("its end, though it does not read")
          .atMost(Subscriber.LIMIT)
          .until(() -> scene.gateway.metric("watchgate_streams_ended_total", "\"lagged\"") == 1);

      slow.read(1_000);

      ReceivedError answer = slow.end();
      assertThat(answer.summary()).isEqualTo("RESOURCE_EXHAUSTED LAGGED RESUME");
      assertThat(answer.retryAfter()).isPositive();
      assertThat(slow.fold().values(scene.maps.key("large"))).hasSizeLessThan(CHANGES);
      try (Subscriber resumed = slow.resume(scene.gateway.channel())) {
        scene.maps.awaitEqual(resumed);
        assertThat(resumed.fold().signals()).endsWith("SNAPSHOT POSITION_EXPIRED", "SYNCED");
      }
    }
  }
}
