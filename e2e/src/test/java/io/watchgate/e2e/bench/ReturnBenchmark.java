package io.watchgate.e2e.bench;

import io.watchgate.client.WatchClient;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.promises.GatewayProcess;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of many watches at two replicas, one of which is killed: the time until all have
 * received a change from the other replica, and its requests to the apiserver. The replicas are
 * processes. The clients are in this JVM, each with its own connection to every replica in use. A
 * client needs a timer thread and at least one thread for its watches, 1 MiB together, so the
 * watches share some hundred clients.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=ReturnBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@code -Dwatchgate.test.args='-Dsubscribers=1000 -Dclients=1000'} uses one client for each
 * watch.
 */
@WithSharedApiserver
@Tag("benchmark")
class ReturnBenchmark {
  private static final int SUBSCRIBERS = Integer.getInteger("subscribers", 10_000);
  private static final int CLIENTS = Integer.getInteger("clients", 500);

  /** Low: as many deliveries as two cores can process in addition to the reconnects. */
  private static final int CHANGES_A_SECOND = 2;

  private static final int HEAP_MIB = 1024;

  @Test
  void allReturnAtOnce(Apiserver apiserver) throws Exception {
    Figures figures = new Figures();
    try (GatewayProcess stays = ReplicaAddress.ready(apiserver, HEAP_MIB);
        GatewayProcess dies = ReplicaAddress.ready(apiserver, HEAP_MIB);
        NumberedWrites writes =
            NumberedWrites.start(apiserver.cluster(), "return", CHANGES_A_SECOND);
        NumberedWatches watches =
            NumberedWatches.open(writes, SUBSCRIBERS, CLIENTS, () -> client(stays, dies))) {
      measure(stays, dies, watches, figures);
      watches.addFaultsTo(figures);
    }
    figures.print();
  }

  private static WatchClient client(GatewayProcess one, GatewayProcess other) {
    return WatchClient.to(one.uri().getHost(), one.uri().getPort())
        .and(other.uri().getHost(), other.uri().getPort())
        .build();
  }

  private static void measure(
      GatewayProcess stays, GatewayProcess dies, NumberedWatches watches, Figures figures)
      throws Exception {
    String lost = ReplicaAddress.serverId(dies);
    List<NumberedWatch> victims = watches.where(watch -> watch.server().equals(lost));
    List<NumberedWatch> others = watches.where(watch -> !watch.server().equals(lost));
    figures.add("watches", SUBSCRIBERS, "10,000");
    figures.add("clients, with a connection each to every replica in use", CLIENTS, "10,000");
    long interruptions = watches.stream().mapToLong(NumberedWatch::interruptions).sum();
    UpstreamRequests before = UpstreamRequests.of(stays);
    Figures.progress("killing a replica with %,d watches", victims.size());
    long killed = System.nanoTime();
    watches.stream().forEach(watch -> watch.expectNews(lost));
    dies.close();
    watches.awaitNews();
    watches.awaitUpToDate();
    UpstreamRequests caused = UpstreamRequests.of(stays).since(before);
    figures.add(
        "the next change to those who return",
        Percentiles.of(victims.stream().map(watch -> watch.newsAfter(killed)).toList()),
        "none was set");
    figures.add(
        "the next change to all others",
        Percentiles.of(others.stream().map(watch -> watch.newsAfter(killed)).toList()),
        "as undisturbed: below 500");
    figures.add(
        "streams that ended, and attempts that failed",
        watches.stream().mapToLong(NumberedWatch::interruptions).sum() - interruptions,
        "about one for each that returns");
    figures.add("streams refused", caused.refusals(), "0");
    figures.add("lists upstream", caused.lists(), "0");
    figures.add("watches upstream that ended", caused.watches(), "0");
    figures.add("backfills upstream", caused.backfills(), "0");
    figures.add(
        "probes upstream, one every 10 s among them", caused.probes(), "not with the crowd");
  }
}
