package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.clients.AuditedUsers;
import io.watchgate.e2e.clients.AuditedUsers.AuditedUser;
import io.watchgate.e2e.clients.KubeController;
import io.watchgate.e2e.clients.KubeController.ClientGo;
import io.watchgate.e2e.clients.Maps;
import io.watchgate.e2e.clients.MapsWriter;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.informer.Decoder;
import io.watchgate.informer.Informer;
import io.watchgate.server.GatewaySettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Test of the SDKs and of client-go at two replicas: under writes one replica is restarted, and
 * then the other one is killed and not replaced. No client lists again, and none gets another
 * snapshot. A controller that reads by {@code Transport} behind a service of both replicas reads
 * nothing at the apiserver.
 */
@WithApiserver
@Requires(RequiredTool.GO)
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
final class ReplicaKilledTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String TYPE = "configmaps";

  /** History and timeouts of {@code watchgate serve}. */
  private static final ProcessSetup SETUP =
      new ProcessSetup(
          List.of(), 256, ProcessSetup.AS_SERVED, List.of(TYPE), GatewaySettings.Lane.ON);

  private static final int WRITES = 500;
  private static final int WRITES_BETWEEN = 100;

  @Test
  void restartedAndKilledReplica_causeNoSnapshotAndNoList(
      @OwnApiserver(audited = true, flags = OwnApiserver.UNCOMPACTED) Apiserver apiserver)
      throws Exception {
    Map<String, Program> programs = PackageStores.programs();
    AuditedUser user = new AuditedUsers(apiserver, 1).next();
    Maps maps = MapsWriter.thousandMaps(apiserver);
    try (Replica one = new Replica(apiserver, Optional.empty(), SETUP);
        Replica other = new Replica(apiserver, Optional.empty(), SETUP);
        FaultProxy service = new FaultProxy(one.gateway().kubeUri());
        Clients clients =
            new Clients(apiserver, programs, maps, List.of(one.port(), other.port()));
        KubeController controller = clients.add(user, maps, service)) {
      clients.awaitEqual(maps);
      List<Long> lists = clients.lists();
      assertThat(lists).as("lists of %s", clients.controllers).containsOnly(1L);
      double snapshots = snapshots(one) + snapshots(other);
      assertThat(snapshots).as("a snapshot of each client").isEqualTo(clients.snapshots());
      Replica restarted = streams(one) > streams(other) ? one : other;
      Replica killed = restarted == one ? other : one;

      try (MapsWriter writer = new MapsWriter(maps)) {
        writer.awaitCount(WRITES_BETWEEN);
        service.setTarget(killed.gateway().kubeUri());
        restarted.end();
        writer.awaitCount(writer.count() + WRITES_BETWEEN);
        // Before the start, so that no client is still without a replica and finds the new one.
        await()
            .atMost(LIMIT)
            .untilAsserted(() -> assertThat(streams(killed)).isEqualTo(clients.number()));
        restarted.startAnother();
        restarted.gateway().awaitReady();
        assertThat(streams(killed)).as("streams before the kill").isEqualTo(clients.number());
        service.setTarget(restarted.gateway().kubeUri());
        killed.kill();
        writer.awaitCount(Math.max(writer.count() + WRITES_BETWEEN, WRITES));
      }

      clients.awaitEqual(maps);
      assertThat(snapshots(one) + snapshots(other)).as("snapshots").isEqualTo(snapshots);
      assertThat(clients.informer.snapshotCount()).as("snapshots of the Java SDK").isEqualTo(1);
      assertThat(clients.lists()).as("lists of %s", clients.controllers).isEqualTo(lists);
      assertThat(user.reads()).as("reads at the apiserver").isEmpty();
      assertThat(user.verbs("configmaps", maps.namespace() + "-copies"))
          .contains("create", "update");
      assertThat(controller.count("apiserver")).as("%s", controller).isZero();
    }
  }

  private static double streams(Replica replica) throws IOException, InterruptedException {
    return replica.gateway().metrics().sum("watchgate_stream_slots");
  }

  /** Returns the number of snapshots of all processes of a replica. */
  private static double snapshots(Replica replica) throws IOException, InterruptedException {
    return replica.processRecords().stream()
        .mapToDouble(life -> life.metrics().sum("watchgate_snapshots_total"))
        .sum();
  }

  /** Clients of one namespace, with a store each. */
  private static final class Clients implements AutoCloseable {
    private final Map<String, Supplier<Map<String, String>>> states = new HashMap<>();
    private final List<PackageStores> packages = new ArrayList<>();
    private final List<KubeController> controllers = new ArrayList<>();
    private final WatchClient client;
    private final Informer<ByteString> informer;

    Clients(Apiserver apiserver, Map<String, Program> programs, Maps maps, List<Integer> ports)
        throws Exception {
      InformerSelection all = InformerSelection.in(Set.of(maps.namespace())).getFirst();
      client =
          WatchClient.to("127.0.0.1", ports.getFirst()).and("127.0.0.1", ports.getLast()).build();
      informer = all.ask(Informer.of(client, TYPE, Decoder.raw())).start();
      states.put("Java", () -> StoreState.of(informer.snapshot()).versions());
      programs.forEach(
          (language, program) -> {
            PackageStores stores = new PackageStores(language, program, ports, List.of(all), 0);
            packages.add(stores);
            states.put(language, () -> stores.stores().getFirst().state().versions());
          });
      for (ClientGo version : ClientGo.values()) {
        String addresses = "127.0.0.1:%d,127.0.0.1:%d".formatted(ports.getFirst(), ports.getLast());
        KubeController controller =
            KubeController.start(version, apiserver.kubeconfig(), maps, "--grpc", addresses);
        controllers.add(controller);
        states.put("client-go " + version, controller::state);
      }
    }

    /** Starts a controller that reads by Transport at one address of both replicas. */
    KubeController add(AuditedUser user, Maps maps, FaultProxy service) throws Exception {
      KubeController controller =
          KubeController.start(
              ClientGo.NEWEST,
              user.kubeconfig(),
              maps,
              "--gateway",
              "http://127.0.0.1:" + service.port());
      states.put("Transport", controller::state);
      return controller;
    }

    /** Waits until each has the state of the apiserver. */
    void awaitEqual(Maps maps) {
      Map<String, String> expected = maps.versions();
      states.forEach(
          (name, state) ->
              await()
                  .atMost(LIMIT)
                  .untilAsserted(() -> assertThat(state.get()).as(name).isEqualTo(expected)));
    }

    int number() {
      return states.size();
    }

    /** Returns the number of clients that begin with a snapshot; the oldest client-go lists. */
    int snapshots() {
      return number() - 1;
    }

    /** Returns the number of lists of each version of client-go. */
    List<Long> lists() {
      return controllers.stream().map(one -> one.count("list")).toList();
    }

    @Override
    public void close() {
      packages.forEach(PackageStores::close);
      controllers.forEach(KubeController::close);
      informer.close();
      client.close();
    }
  }
}
