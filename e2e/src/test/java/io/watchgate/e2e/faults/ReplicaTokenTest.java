package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.proxy.Damage;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a token at another replica than its sender, and of state that a replica does not know.
 */
@WithSharedApiserver
final class ReplicaTokenTest {
  private static ListAndWatchRequest all(ConfigMaps maps) {
    return watch("configmaps", maps.namespace()).build();
  }

  /**
   * Returns a request for every change or an error; such a stream receives no gap signal from a
   * newly started replica.
   */
  private static ListAndWatchRequest everyChange(ConfigMaps maps) {
    return all(maps).toBuilder()
        .setDelivery(Delivery.newBuilder().setLagPolicy(LagPolicy.LAG_POLICY_DISCONNECT))
        .build();
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  void token_atNewerReplica_resumesWithoutGap(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "later");
    maps.create("a", 0);
    TestGateway first = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
    Subscriber before = first.subscribe(everyChange(maps)).begun();
    maps.count("a", 1, 5);
    maps.awaitEqual(before);
    before.close();
    first.close();

    maps.count("a", 6, 10);
    maps.create("gone", 0);
    maps.delete("gone");
    maps.create("b", 0);
    try (TestGateway second =
        TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK.opening("configmaps"))) {
      await().atMost(Subscriber.LIMIT).until(() -> second.metric("watchgate_synced") == 1);
      maps.count("a", 11, 15);
      try (Subscriber after = before.resume(second.channel())) {
        maps.awaitEqual(after);
        assertThat(after.fold().signals()).doesNotContain("SNAPSHOT POSITION_EXPIRED");
        assertThat(after.fold().values(maps.key("a"))).isEqualTo(numbers(1, 15));
        assertThat(after.fold().values(maps.key("gone"))).isEqualTo(List.of(0));
      }
      assertThat(second.metric("watchgate_backfills_total", "outcome=\"reached\"")).isEqualTo(1);
      assertThat(second.metric("watchgate_snapshots_total")).isZero();
    }
  }

  /** A creation and deletion leave the state unchanged, so the token is valid immediately. */
  @Test
  void tokenOfReplicaAhead_repeatsNothing(@OwnApiserver Apiserver apiserver) throws IOException {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "ahead");
    maps.create("a", 0);
    ListAndWatchRequest request =
        all(maps).toBuilder()
            .setDelivery(
                Delivery.newBuilder()
                    .setBookmarkInterval(com.google.protobuf.Duration.newBuilder().setSeconds(1)))
            .build();
    try (FaultProxy link = new FaultProxy(apiserver.server());
        TestGateway ahead = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        TestGateway late =
            TestGateway.start(apiserver.kubeconfigVia(link.uri()), GatewaySetup.QUICK);
        Subscriber before = ahead.subscribe(request).begun();
        Subscriber there = late.subscribe(request).begun()) {
      maps.awaitEqual(before);
      maps.awaitEqual(there);
      link.pass(FaultProxy.Manner.SILENT);
      maps.create("gone", 0);
      maps.delete("gone");
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> before.fold().story().contains("DELETED " + maps.key("gone")));
      BigInteger floor = last(before);
      try (Subscriber after =
          late.subscribe(request.toBuilder().setResumeToken(before.token()).build()).begun()) {
        await().atMost(Subscriber.LIMIT).until(() -> bookmarks(after) >= 2);

        link.pass(FaultProxy.Manner.PASSING);
        maps.set("a", 1);
        await().atMost(Subscriber.LIMIT).until(() -> !after.fold().story().isEmpty());

        assertThat(after.fold().signals()).containsExactly("OPENED", "RESUMED");
        assertThat(after.fold().story()).containsExactly("MODIFIED " + maps.key("a"));
        assertThat(after.responses())
            .filteredOn(response -> !response.getResourceVersion().isEmpty())
            .allSatisfy(
                response ->
                    assertThat(new BigInteger(response.getResourceVersion()))
                        .isGreaterThanOrEqualTo(floor));
      }
    }
  }

  private static BigInteger last(Subscriber subscriber) {
    return subscriber.responses().stream()
        .map(ListAndWatchResponse::getResourceVersion)
        .filter(version -> !version.isEmpty())
        .map(BigInteger::new)
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }

  private static long bookmarks(Subscriber subscriber) {
    return subscriber.responses().stream().filter(ListAndWatchResponse::hasBookmark).count();
  }

  @Test
  void tokenOfOtherCluster_isLostHistory(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "elsewhere");
    maps.create("a", 0);
    try (TestGateway here = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        TestGateway elsewhere =
            TestGateway.start(
                apiserver.kubeconfig(), GatewaySetup.QUICK.ofCluster("another cluster"));
        Subscriber there = elsewhere.subscribe(all(maps)).begun()) {
      Subscriber before = here.subscribe(all(maps)).begun();
      maps.awaitEqual(before);
      maps.awaitEqual(there);

      before.close();
      try (Subscriber after = before.resume(elsewhere.channel())) {
        awaitLostHistory(after);
        maps.awaitEqual(after);
      }
    }
  }

  /** The apiserver sends one bookmark per minute for a type without changes. */
  @Test
  void watch_fromVersionOfOtherType_startsWithinSeconds(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "other");
    GatewaySetup setup = GatewaySetup.QUICK.opening("limitranges");
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), setup)) {
      await().atMost(Subscriber.LIMIT).until(() -> gateway.metric("watchgate_synced") == 1);
      String version = maps.create("a", 0);
      ListAndWatchRequest request = watch("limitranges").setMinimumResourceVersion(version).build();
      await()
          .atMost(Subscriber.LIMIT)
          .until(
              () -> {
                try (Subscriber subscriber = gateway.subscribe(request)) {
                  await()
                      .atMost(Subscriber.LIMIT)
                      .until(
                          () ->
                              subscriber.isOver()
                                  || subscriber.fold().signals().contains("SYNCED"));
                  return !subscriber.isOver();
                }
              });
      assertThat(gateway.metric("watchgate_lists_total", "type=\"limitranges\"")).isEqualTo(1);
    }
  }

  @Test
  void list_atVersionOfOtherType_answersWithinSeconds(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "another");
    GatewaySetup setup = GatewaySetup.QUICK.opening("limitranges");
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), setup)) {
      await().atMost(Subscriber.LIMIT).until(() -> gateway.metric("watchgate_synced") == 1);
      String version = maps.create("a", 0);
      ListObjectsRequest request = list("limitranges").setMinimumResourceVersion(version).build();

      ListObjectsResponse page =
          await()
              .atMost(Subscriber.LIMIT)
              .ignoreExceptionsMatching(e -> Status.fromThrowable(e).getCode() == Code.UNAVAILABLE)
              .until(() -> gateway.calls().listObjects(request), answer -> true);

      assertThat(new BigInteger(page.getResourceVersion()))
          .isGreaterThanOrEqualTo(new BigInteger(version));
      assertThat(gateway.metric("watchgate_lists_total", "type=\"limitranges\"")).isEqualTo(1);
    }
  }

  // ---- restored from a backup

  @TempDir private Path backup;

  @Test
  void tokenOfLostHistory_atUnawareReplica_isDetected(
      @OwnApiserver(flags = OwnApiserver.UNCOMPACTED) Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "restored");
    maps.create("a", 0);
    apiserver.kill();
    apiserver.saveData(backup);
    apiserver.start();

    TestGateway first = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
    Subscriber before = first.subscribe(all(maps)).begun();
    maps.create("lost", 0);
    maps.count("a", 1, 60);
    maps.awaitEqual(before);
    ByteString token = before.token();
    before.close();
    first.close();

    apiserver.kill();
    apiserver.restoreData(backup);
    apiserver.start();
    try (TestGateway young = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        Subscriber ahead = before.resume(young.channel())) {
      awaitLostHistory(ahead);
      maps.awaitEqual(ahead);
    }

    // Another timeline has passed the version of the token and is ahead.
    maps.count("a", 1, 100);
    ListAndWatchRequest resumed = all(maps).toBuilder().setResumeToken(token).build();
    try (TestGateway younger =
        TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK.opening("configmaps"))) {
      await().atMost(Subscriber.LIMIT).until(() -> younger.metric("watchgate_synced") == 1);
      try (Subscriber past = younger.subscribe(resumed)) {
        awaitLostHistory(past);
        maps.awaitEqual(past);
      }
    }
  }

  private static void awaitLostHistory(Subscriber subscriber) {
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> subscriber.fold().signals().contains("SNAPSHOT HISTORY_LOST"));
  }

  // ---- changes lost between apiserver and gateway

  @Test
  void missedUpstreamChange_isDetectedAndRepaired(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "untold");
    maps.create("told", 0);
    maps.create("untold", 0);
    // Not more often: a second check might come before the repair after the first.
    GatewaySetup setup =
        GatewaySetup.QUICK.with(
            GatewaySetup.QUICK.cache().withSelfCheckEvery(Duration.ofSeconds(10)));
    // The list and the watch after it are one stream; this stream loses a change later.
    AtomicBoolean silent = new AtomicBoolean();
    Damage untold =
        new Damage.Edited(
            Damage.Aim.STREAMING_LIST,
            () ->
                line ->
                    silent.get() && line.contains("\"name\":\"untold\"")
                        ? List.of()
                        : List.of(line));
    try (DamagingProxy proxy = DamagingProxy.before(apiserver, untold);
        TestGateway gateway = TestGateway.start(proxy.kubeconfig(), setup);
        Subscriber subscriber = gateway.subscribe(all(maps)).begun()) {
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.metric("watchgate_self_checks_total", "\"equal\"") >= 1);
      assertThat(gateway.metric("watchgate_self_checks_total", "\"different\"")).isZero();

      silent.set(true);
      maps.set("untold", 1);
      maps.count("told", 1, 3);

      maps.awaitEqual(subscriber);
      assertThat(gateway.metric("watchgate_self_checks_total", "\"different\"")).isEqualTo(1);
      assertThat(gateway.metric("watchgate_lists_total", "reason=\"self_check\"")).isEqualTo(1);
      assertThat(subscriber.fold().signals()).contains("NET_EFFECT UPSTREAM_GAP");
    }
  }
}
