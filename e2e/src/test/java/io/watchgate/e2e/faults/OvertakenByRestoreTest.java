package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a cluster that is restored from a backup while the gateway is disconnected, and whose
 * version is ahead of the gateway's when the gateway reconnects, so that the watch resumes without
 * an error.
 */
@WithApiserver
final class OvertakenByRestoreTest {
  @TempDir private Path backup;
  private Apiserver apiserver;
  private ConfigMaps maps;
  private FaultProxy link;
  private TestGateway gateway;
  private Subscriber subscriber;

  @BeforeEach
  void begin(@OwnApiserver(flags = OwnApiserver.UNCOMPACTED) Apiserver own) throws IOException {
    apiserver = own;
    maps = ConfigMaps.in(own.cluster(), "overtaken");
    maps.create("a", 0);
    maps.create("b", 0);
    own.kill();
    own.saveData(backup);
    own.start();
    link = new FaultProxy(own.server());
    // With a long timeout: a request that is given up would be counted once more.
    GatewaySetup setup =
        GatewaySetup.QUICK.with(
            GatewaySetup.QUICK.kube().withRequestTimeout(Duration.ofMinutes(1)));
    gateway = TestGateway.start(own.kubeconfigVia(link.uri()), setup);
    subscriber = gateway.subscribe(request()).begun();
  }

  @AfterEach
  void end() throws IOException {
    subscriber.close();
    gateway.close();
    link.close();
  }

  private ListAndWatchRequest request() {
    return watch("configmaps", maps.namespace()).build();
  }

  /** Makes writes that the backup does not have, and then disconnects the gateway. */
  private void loseWrites(FaultProxy.Manner cut) {
    maps.create("lost", 0);
    maps.count("a", 1, 40);
    maps.awaitEqual(subscriber);
    link.pass(cut);
    apiserver.kill();
    apiserver.restoreData(backup);
    apiserver.start();
  }

  private void overtake() {
    maps.create("found", 0);
    maps.count("b", 1, 300);
  }

  private void awaitLostHistory(List<String> before) {
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> subscriber.fold().signals().contains("SNAPSHOT HISTORY_LOST"));
    maps.awaitEqual(subscriber);
    assertThat(subscriber.fold().story()).isEqualTo(before);
    assertThat(subscriber.fold().violations()).isEmpty();
    try (Subscriber late = gateway.subscribe(request())) {
      maps.awaitEqual(late);
    }
  }

  @Test
  void overtakingRestore_isLostHistory() {
    loseWrites(FaultProxy.Manner.CUT);
    List<String> before = subscriber.fold().story();
    overtake();
    link.pass(FaultProxy.Manner.PASSING);

    awaitLostHistory(before);
    assertThat(gateway.metric("watchgate_history_checks_total", "\"lost\"")).isEqualTo(1);
    assertThat(gateway.metric("watchgate_lists_total", "reason=\"restored\"")).isEqualTo(1);
  }

  /** The gateway's version can no longer be listed. */
  @Test
  void overtakingRestore_afterCompaction_isLostHistory() {
    loseWrites(FaultProxy.Manner.CUT);
    List<String> before = subscriber.fold().story();
    overtake();
    assertThat(apiserver.compact()).isPositive();
    link.pass(FaultProxy.Manner.PASSING);

    awaitLostHistory(before);
  }

  /** A middlebox keeps the connection open, and it fails later. */
  @Test
  void restoreBehindSilentLink_isLostHistory() {
    loseWrites(FaultProxy.Manner.SILENT);
    List<String> before = subscriber.fold().story();
    overtake();
    link.pass(FaultProxy.Manner.PASSING);
    link.reset();

    awaitLostHistory(before);
  }
}
