package io.watchgate.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListAndWatchResponse.SignalCase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests of {@code watchgate serve} and {@code watchgate watch} in separate processes, as users run
 * them, while pods are written and apiserver and gateway restart.
 */
@WithApiserver
final class TwoProcessesTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String ANY_PORT = "127.0.0.1:0";
  private static final Pattern GAP = Pattern.compile("changes up to version (\\d+) were combined");
  private static final Pattern WORKS_AGAIN =
      Pattern.compile("watching again, nothing was missed|listed \\d+ objects .*\\((?!initial)");
  private static final Pattern BEGAN_AGAIN = Pattern.compile("with a snapshot at version (\\d+)");

  @Test
  void apiserverRestarts_loseNoChange(
      @OwnApiserver(flags = OwnApiserver.STOPS_SOON) Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("shop");
    try (Command serve = serve(apiserver.kubeconfig(), ANY_PORT);
        Command watch = watch(address(serve), "shop");
        PodWriter writer = writer(watch, cluster, "shop")) {
      awaitPrinted(watch, 100);

      apiserver.stop();
      List<PodWriter.Written> before = List.copyOf(writer.log());
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(before).allMatch(written -> isPrinted(watch, written)));
      // The apiserver stays away until the gateway has noticed and logged it.
      assertThat(serve.awaitErr("cannot connect to "))
          .containsPattern("; trying again in \\d+ ms$");
      apiserver.start();
      awaitPrinted(watch, watch.out().size() + 100);

      apiserver.kill();
      apiserver.start();
      awaitPrinted(watch, watch.out().size() + 100);

      writer.stop();
      awaitEqual(watch, cluster, "shop");
      // If the apiserver still has the version, the watch resumes without a message.
      assertThat(watch.err()).filteredOn(GAP.asPredicate()).hasSizeLessThanOrEqualTo(2);
      assertEachIsPrintedOrAnnounced(writer.log(), watch, GAP);
      // The watch began without pods, so it has asked whether its namespace exists as well.
      assertThat(serve.err())
          .filteredOn(line -> line.contains(" pods/v1: "))
          .filteredOn(WORKS_AGAIN.asPredicate())
          .hasSize(2);
      assertThat(watch.end("INT")).isEqualTo(130);
      assertThat(serve.end("TERM")).isZero();
    }
  }

  @Test
  void gatewayRestarts_printEachChange(Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("restarted");
    Path kubeconfig = apiserver.kubeconfig();
    String address = "127.0.0.1:" + StablePorts.free();
    try (Command first = serve(kubeconfig, address);
        Command watch = watch(address(first), "restarted");
        PodWriter writer = writer(watch, cluster, "restarted")) {
      awaitPrinted(watch, 50);

      assertThat(first.end("TERM")).isZero();
      assertThat(first.err()).anyMatch(line -> line.endsWith("shutting down"));
      try (Command second = serve(kubeconfig, address)) {
        assertThat(watch.awaitErr("reconnected")).contains("the gateway is shutting down");
        awaitPrinted(watch, watch.out().size() + 50);
        assertThat(second.end("KILL")).isEqualTo(128 + 9);
      }
      try (Command third = serve(kubeconfig, address)) {
        awaitPrinted(watch, watch.out().size() + 50);
        writer.stop();
        awaitEqual(watch, cluster, "restarted");
        assertThat(watch.err()).noneMatch(BEGAN_AGAIN.asPredicate());
        assertEachIsPrintedOrAnnounced(writer.log(), watch, BEGAN_AGAIN);
        assertThat(watch.end("INT")).isEqualTo(130);
        assertThat(third.end("TERM")).isZero();
      }
    }
  }

  @Test
  void shutdownSignal_sendsTokenToEveryStream(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "told");
    maps.create("a", 1);
    try (Command serve = serve(apiserver.kubeconfig(), ANY_PORT)) {
      ManagedChannel channel =
          NettyChannelBuilder.forTarget(address(serve)).usePlaintext().disableRetry().build();
      try (Subscriber subscriber =
          Subscriber.open(channel, Requests.watch("configmaps", maps.namespace()).build())) {
        subscriber.begun();

        assertThat(serve.end("TERM")).isZero();

        assertThat(subscriber.end().summary()).isEqualTo("UNAVAILABLE DRAINING RESUME");
        ListAndWatchResponse last = subscriber.responses().getLast();
        assertThat(last.getSignalCase()).isEqualTo(SignalCase.GOING_AWAY);
        assertThat(last.getResumeToken().isEmpty()).isFalse();
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static Command serve(Path kubeconfig, String address) {
    return Command.start(
        "serve",
        "--kubeconfig",
        kubeconfig.toString(),
        "--listen",
        address,
        "--http-listen",
        ANY_PORT);
  }

  /** Returns the address of the gateway once it serves. */
  private static String address(Command serve) {
    return "127.0.0.1:" + serve.awaitServing().grpc();
  }

  private static Command watch(String address, String namespace) {
    return Command.start(
        "watch", "pods", "-n", namespace, "-l", "app=web", "-o", "json", "--server", address);
  }

  /**
   * Returns a writer that starts once the watch has begun, so that the watch receives every write
   * as a change.
   */
  private static PodWriter writer(Command watch, Cluster cluster, String namespace) {
    watch.awaitErr("nothing matches yet");
    return PodWriter.start(cluster, namespace);
  }

  private static void awaitPrinted(Command watch, int lines) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> watch.out().size() >= lines);
  }

  private static void awaitEqual(Command watch, Cluster cluster, String namespace) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(PrintedOutput.of(watch.out()).state())
                    .isEqualTo(
                        ListedState.of(
                            cluster,
                            Resource.PODS,
                            namespace,
                            Map.of("labelSelector", "app=web"))));
  }

  private static boolean isPrinted(Command watch, PodWriter.Written written) {
    return PrintedOutput.of(watch.out()).has(written.key(), written.version());
  }

  /**
   * Checks that each write was printed unchanged, or that a later state was printed and stderr
   * announced that changes up to that state were left out.
   */
  private static void assertEachIsPrintedOrAnnounced(
      List<PodWriter.Written> log, Command watch, Pattern announcement) {
    PrintedOutput printed = PrintedOutput.of(watch.out());
    List<Long> announced =
        watch.err().stream()
            .map(announcement::matcher)
            .filter(Matcher::find)
            .map(line -> Long.parseLong(line.group(1)))
            .toList();
    assertThat(log)
        .filteredOn(written -> !printed.has(written.key(), written.version()))
        .allMatch(written -> printed.isPast(written.key(), written.version()))
        .allMatch(written -> announced.stream().anyMatch(upTo -> written.version() <= upTo));
  }
}
