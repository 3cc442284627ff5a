package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.differential.Subscriber.Opening;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.e2e.proxy.FaultProxy.Manner;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Run with an apiserver that receives random writes, a gateway in front of it, and a watch of every
 * query at both.
 */
final class DifferentialRun implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration STEADY_LIMIT = Duration.ofMinutes(15);
  private static final int STEPS_BETWEEN_COMPARISONS = 300;
  private static final int AWAY_IN_A_GAP = 4; // one of many subscribers

  // Small, so that history is trimmed all the time and tokens expire within seconds.
  private static final GatewaySetup GATEWAY =
      GatewaySetup.AS_SERVED.with(
          GatewaySetup.withBackoff(
              GatewaySetup.AS_SERVED.cache().withHistory(Duration.ofMinutes(10), 512 << 10),
              Duration.ofMillis(50),
              Duration.ofMillis(500)));

  private final Tally tally;
  private final Random random;
  private final Cluster cluster;
  private final RandomWriter writer;
  private final FaultProxy proxy;
  private final GatewayUnderTest gateway;
  private final ManagedChannel channel;
  private final List<ComparedWatch> pairs = new ArrayList<>();

  DifferentialRun(Apiserver apiserver, long seed, Tally tally) throws IOException {
    this.tally = tally;
    this.random = new Random(seed);
    cluster = apiserver.cluster();
    Widgets.install(cluster);
    writer = new RandomWriter(cluster, seed);
    writer.begin();
    proxy = new FaultProxy(apiserver.server());
    gateway = GatewayUnderTest.start(apiserver.kubeconfigVia(proxy.uri()), GATEWAY);
    channel =
        Grpc.newChannelBuilderForAddress(
                "127.0.0.1", gateway.port(), InsecureChannelCredentials.create())
            .build();
  }

  /** Opens every watch and compares the first snapshots. */
  void begin() throws Exception {
    Map<Resource, Truth> truths = new HashMap<>();
    for (Query query : Query.ALL) {
      // Both versions of widgets have the same writes.
      Resource written = query.type().equals(Widgets.V2) ? Widgets.V1 : query.type();
      Truth truth = truths.computeIfAbsent(written, type -> new Truth());
      pairs.add(new ComparedWatch(query, cluster, WatchServiceGrpc.newStub(channel), truth, tally));
    }
    await().atMost(LIMIT).until(() -> pairs.stream().allMatch(pair -> pair.direct.lists() > 0));
    for (ComparedWatch pair : pairs) {
      assertThat(pair.subscriber.open().get()).isEqualTo(Opening.SNAPSHOT);
    }
    compareAll();
  }

  /**
   * Writes until enough cases for {@code rounds} rounds have occurred. Streams are stopped and
   * opened all the time, and the connection is cut repeatedly during writes.
   */
  void steadyWrites(int rounds) throws Exception {
    List<Integer> before = netEffects();
    long end = System.nanoTime() + STEADY_LIMIT.toNanos();
    while (!tally.steadyPartIsComplete(rounds) && System.nanoTime() < end) {
      Interruptions interruptions =
          Interruptions.start(
              pairs, WatchServiceGrpc.newBlockingStub(channel), tally, random.nextLong());
      try {
        steps(STEPS_BETWEEN_COMPARISONS);
        proxy.pass(Manner.CUT);
        tally.cut();
        steps(random.nextInt(STEPS_BETWEEN_COMPARISONS / 4));
        proxy.pass(Manner.PASSING);
        steps(STEPS_BETWEEN_COMPARISONS);
      } finally {
        interruptions.end();
      }
      compareAll();
    }
    assertThat(netEffects())
        .as("gaps announced, where nothing was lost upstream")
        .isEqualTo(before);
  }

  /**
   * Stops the gateway's connection during many writes, and then {@code forget} breaks the history;
   * some streams are opened only afterwards.
   *
   * @param types types whose changes are lost
   * @param forgotten types that the direct watches have to list again as well
   */
  void gap(List<Resource> types, List<Resource> forgotten, Runnable forget) throws Exception {
    compareAll();
    List<Integer> announced = announced();
    List<Integer> lists = pairs.stream().map(pair -> pair.direct.lists()).toList();
    proxy.pass(Manner.CUT);
    List<ComparedWatch> away = new ArrayList<>();
    for (int i = random.nextInt(AWAY_IN_A_GAP); i < pairs.size(); i += AWAY_IN_A_GAP) {
      away.add(pairs.get(i));
    }
    away.forEach(pair -> pair.subscriber.stop());
    types.stream().filter(type -> !type.equals(Widgets.V2)).forEach(writer::gap);
    settle(ComparedWatch::assertDirectIsSettled);
    forget.run();
    // Waits before the next write; otherwise a direct watch would miss the write, and the
    // comparison would have no reference.
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              for (int i = 0; i < pairs.size(); i++) {
                if (forgotten.contains(pairs.get(i).query.type())) {
                  assertThat(pairs.get(i).direct.lists())
                      .as("%s: lists of the direct watch", pairs.get(i).query)
                      .isGreaterThan(lists.get(i));
                }
              }
            });
    proxy.pass(Manner.PASSING);
    steps(STEPS_BETWEEN_COMPARISONS / 8);
    for (ComparedWatch pair : away) {
      assertThat(pair.subscriber.open().get()).isNotNull();
    }
    steps(STEPS_BETWEEN_COMPARISONS / 8);
    compareAll();
    List<Integer> now = announced();
    for (int i = 0; i < pairs.size(); i++) {
      Query query = pairs.get(i).query;
      assertThat(now.get(i) - announced.get(i))
          .as("%s: gaps announced", query)
          .isEqualTo(types.contains(query.type()) ? 1 : 0);
    }
  }

  private List<Integer> netEffects() {
    return pairs.stream().map(pair -> pair.comparison.netEffects()).toList();
  }

  /**
   * Returns the announced gaps. A stream that reconnects after a gap may find its token too old,
   * which is an announcement as well.
   */
  private List<Integer> announced() {
    return pairs.stream()
        .map(pair -> pair.comparison.netEffects() + pair.comparison.expiries())
        .toList();
  }

  /**
   * Changes every object and compares, so that a client with the newest version of each has missed
   * none.
   */
  void touchAll() {
    writer.touchAll();
    compareAll();
  }

  private void steps(int count) {
    for (int i = 0; i < count; i++) {
      writer.step();
    }
  }

  /** Waits until both sides have received all writes, and compares them. */
  private void compareAll() {
    settle(ComparedWatch::assertDirectIsSettled);
    settle(ComparedWatch::assertSubscriberIsSettled);
    pairs.forEach(ComparedWatch::compare);
  }

  private void settle(Consumer<ComparedWatch> condition) {
    await()
        .atMost(LIMIT)
        .failFast(() -> pairs.forEach(ComparedWatch::assertGoesOn))
        .untilAsserted(() -> pairs.forEach(condition));
  }

  @Override
  public void close() throws IOException {
    pairs.forEach(ComparedWatch::close);
    channel.shutdownNow();
    gateway.close();
    proxy.close();
  }
}
