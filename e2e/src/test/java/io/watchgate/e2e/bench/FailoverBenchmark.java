package io.watchgate.e2e.bench;

import static org.awaitility.Awaitility.await;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of the outage that subscribers see when one of three replicas is killed, and when all
 * three are replaced one after the other. Changes arrive at a steady rate, so that every subscriber
 * always expects one. The replicas are processes that share the streams evenly, and the subscribers
 * are in this JVM. A proxy between them represents an address at which one replica replaces
 * another.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=FailoverBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@code -Dwatchgate.test.args=-Dsubscribers=100} uses fewer.
 */
@WithSharedApiserver
@Tag("benchmark")
class FailoverBenchmark {
  private static final int SUBSCRIBERS = Integer.getInteger("subscribers", 1_000);
  private static final int CLIENTS = Math.min(50, SUBSCRIBERS);

  /**
   * Low, because 1,000 watches, their clients and the apiserver leave two cores little spare
   * capacity.
   */
  private static final int CHANGES_A_SECOND = 5;

  private static final int REPLICAS = 3;
  private static final int WARMUP = 2;
  private static final int KILLS = 6;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final List<ReplicaAddress> replicas = new ArrayList<>();
  private final List<Duration> there = new ArrayList<>();
  private final List<Duration> noticed = new ArrayList<>();
  private final List<Duration> admitted = new ArrayList<>();
  private final List<Duration> elsewhere = new ArrayList<>();

  @Test
  void aReplicaIsKilledAndAllAreReplaced(Apiserver apiserver) throws Exception {
    Figures figures = new Figures();
    try {
      for (int i = 0; i < REPLICAS; i++) {
        replicas.add(ReplicaAddress.start(apiserver));
      }
      try (NumberedWrites writes =
              NumberedWrites.start(apiserver.cluster(), "failover", CHANGES_A_SECOND);
          NumberedWatches watches =
              NumberedWatches.open(writes, SUBSCRIBERS, CLIENTS, this::client)) {
        for (int i = 0; i < WARMUP + KILLS; i++) {
          kill(replicas.get(i % REPLICAS), watches);
          if (i + 1 == WARMUP) {
            there.clear();
            noticed.clear();
            admitted.clear();
            elsewhere.clear();
          }
        }
        figures.add(
            "a kill: the next change to those who were there",
            Percentiles.of(there),
            "p99 below 1,000");
        figures.add("    of it until the stream ended", Percentiles.of(noticed), "");
        figures.add("    of it until the next was admitted", Percentiles.of(admitted), "");
        figures.add(
            "a kill: the next change to all others", Percentiles.of(elsewhere), "as undisturbed");
        Duration length = replaceAll(watches);
        figures.add(
            "replacing all three: longest time without a change",
            watches.percentiles(NumberedWatch::longestGap),
            "none was set");
        watches.stream().forEach(NumberedWatch::beginPeriod);
        LockSupport.parkNanos(length.toNanos());
        figures.add(
            "undisturbed for as long: longest time without a change",
            watches.percentiles(NumberedWatch::longestGap),
            "to compare with");
        watches.awaitUpToDate();
        watches.addFaultsTo(figures);
      }
    } finally {
      for (ReplicaAddress replica : replicas) {
        replica.close();
      }
    }
    figures.print();
  }

  private WatchClient client() {
    WatchClientBuilder builder = WatchClient.to("127.0.0.1", replicas.getFirst().port());
    replicas.stream().skip(1).forEach(replica -> builder.and("127.0.0.1", replica.port()));
    return builder.build();
  }

  private void kill(ReplicaAddress replica, NumberedWatches watches) throws Exception {
    String id = replica.serverId();
    List<NumberedWatch> victims = watches.where(watch -> watch.server().equals(id));
    List<NumberedWatch> others = watches.where(watch -> !watch.server().equals(id));
    long killed = System.nanoTime();
    watches.stream().forEach(watch -> watch.expectNews(id));
    replica.kill();
    watches.awaitNews();
    List<Duration> times = victims.stream().map(watch -> watch.newsAfter(killed)).toList();
    there.addAll(times);
    victims.forEach(watch -> noticed.add(watch.noticedAfter(killed)));
    victims.forEach(watch -> admitted.add(watch.openedAfter(killed)));
    others.forEach(watch -> elsewhere.add(watch.newsAfter(killed)));
    Percentiles spread = Percentiles.of(times);
    Figures.progress(
        "killed a replica with %,d of %,d watches: the next change after %s ms (p50), %s ms (p99)",
        victims.size(), SUBSCRIBERS, Figures.millis(spread.median()), Figures.millis(spread.p99()));
    replica.refill();
    awaitEven(watches);
    watches.awaitUpToDate();
  }

  /** Waits for an even distribution, the state in which a replica usually dies. */
  private void awaitEven(NumberedWatches watches) {
    double share = (double) SUBSCRIBERS / REPLICAS;
    List<String> ids = replicas.stream().map(ReplicaAddress::serverId).toList();
    await("each replica has its share")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                ids.stream()
                    .map(id -> watches.where(watch -> watch.server().equals(id)).size())
                    .allMatch(count -> count > 0.8 * share && count < 1.2 * share));
  }

  /** Replaces all replicas and returns the duration. */
  private Duration replaceAll(NumberedWatches watches) throws Exception {
    watches.stream().forEach(NumberedWatch::beginPeriod);
    long begun = System.nanoTime();
    for (ReplicaAddress replica : replicas) {
      replica.replace();
      Figures.progress("replaced a replica");
    }
    watches.awaitUpToDate();
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
