package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Duration;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests of three replicas that are restarted, killed and frozen, with subscribers that must miss
 * nothing.
 */
@WithSharedApiserver
final class ThreeReplicasTest {
  private static final int REPLICAS = 3;
  private static final int SUBSCRIBERS = 60;
  private static final GatewaySetup SETUP = GatewaySetup.QUICK.opening("configmaps");

  /** One address at which one gateway after the other serves. */
  private static final class ReplicaBehindProxy implements AutoCloseable {
    final Apiserver apiserver;
    final FaultProxy front;
    TestGateway gateway;

    ReplicaBehindProxy(Apiserver apiserver) {
      this.apiserver = apiserver;
      this.gateway = started(apiserver);
      try {
        this.front = new FaultProxy(address(gateway));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static TestGateway started(Apiserver apiserver) {
      TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), SETUP);
      await().atMost(Subscriber.LIMIT).until(() -> gateway.http("/readyz").statusCode() == 200);
      return gateway;
    }

    private static URI address(TestGateway gateway) {
      return URI.create("http://127.0.0.1:" + gateway.port());
    }

    /**
     * Replaces the gateway as a Deployment does: the new one is ready before the old one is
     * stopped.
     */
    void replace() {
      TestGateway old = gateway;
      gateway = started(apiserver);
      front.setTarget(address(gateway));
      old.close();
    }

    double streams() {
      return gateway.metric("watchgate_streams", "type=\"configmaps\"");
    }

    @Override
    public void close() {
      try {
        front.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        gateway.close();
      }
    }
  }

  private static ListAndWatchRequest request(ConfigMaps maps) {
    return watch("configmaps", maps.namespace())
        .setDelivery(Delivery.newBuilder().setBookmarkInterval(Duration.newBuilder().setSeconds(1)))
        .build();
  }

  private static WatchClient client(List<ReplicaBehindProxy> replicas) {
    WatchClientBuilder builder = WatchClient.to("127.0.0.1", replicas.get(0).front.port());
    replicas.stream().skip(1).forEach(replica -> builder.and("127.0.0.1", replica.front.port()));
    return builder.build();
  }

  @Test
  void replicaFaults_missNoChange(Apiserver apiserver) throws Exception {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "replicas");
    maps.create("a", 0);
    List<ReplicaBehindProxy> replicas = new ArrayList<>();
    List<CountedWatch> subscribers = new ArrayList<>();
    AtomicInteger written = new AtomicInteger();
    AtomicBoolean writing = new AtomicBoolean(true);
    try {
      IntStream.range(0, REPLICAS).forEach(i -> replicas.add(new ReplicaBehindProxy(apiserver)));
      for (int i = 0; i < SUBSCRIBERS; i++) {
        subscribers.add(new CountedWatch(client(replicas), request(maps)));
      }
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> subscribers.stream().allMatch(one -> one.last() >= 0));
      assertThat(replicas)
          .allSatisfy(replica -> assertThat(replica.streams()).isBetween(5.0, 40.0));
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (writing.get()) {
                      maps.set("a", written.incrementAndGet());
                    }
                  });

      for (ReplicaBehindProxy replica : replicas) {
        replica.replace();
        awaitNews(subscribers, written);
      }
      replicas.get(0).front.pass(FaultProxy.Manner.CUT);
      awaitNews(subscribers, written);
      replicas.get(1).front.pass(FaultProxy.Manner.SILENT);
      awaitNews(subscribers, written);
      replicas.get(1).front.pass(FaultProxy.Manner.PASSING);
      replicas.get(0).front.pass(FaultProxy.Manner.PASSING);
      awaitNews(subscribers, written);
      writing.set(false);
      writer.join();

      int last = written.get();
      awaitLast(subscribers, last);
      List<Integer> each = IntStream.rangeClosed(0, last).boxed().toList();
      for (CountedWatch subscriber : subscribers) {
        assertThat(subscriber.values()).as(subscriber.others().toString()).isEqualTo(each);
        assertThat(subscriber.others())
            .filteredOn(what -> what.startsWith("snapshot") || what.startsWith("net effect"))
            .containsExactly("snapshot SNAPSHOT_REASON_REQUESTED");
      }
      assertThat(replicas)
          .allSatisfy(
              replica -> {
                assertThat(replica.gateway.metric("watchgate_lists_total")).isEqualTo(1);
                assertThat(replica.gateway.metric("watchgate_backfills_total"))
                    .isLessThanOrEqualTo(1);
              });
    } finally {
      writing.set(false);
      subscribers.forEach(CountedWatch::close);
      replicas.forEach(ReplicaBehindProxy::close);
    }
  }

  /**
   * Waits until each subscriber has the value that was the last written at the start of this call.
   */
  private static void awaitNews(List<CountedWatch> subscribers, AtomicInteger written) {
    awaitLast(subscribers, written.get());
  }

  private static void awaitLast(List<CountedWatch> subscribers, int number) {
    await()
        .atMost(java.time.Duration.ofMinutes(3))
        .untilAsserted(
            () ->
                assertThat(subscribers)
                    .allSatisfy(
                        one ->
                            assertThat(one.last())
                                .as(one.others().toString())
                                .isGreaterThanOrEqualTo(number)));
  }
}
