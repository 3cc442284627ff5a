package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of unmodified informers while the gateway, and the apiserver behind it, restart. */
@WithApiserver
final class ProxyRestartTest {
  /** client-go waits up to 30 s between two attempts, and so does the gateway. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Test
  void informers_haveTheStateAfterRestarts(@OwnApiserver Apiserver apiserver, @TempDir Path folder)
      throws Exception {
    assertStateAfterRestarts(
        apiserver,
        folder,
        Arrays.stream(Informer.Kind.values()).<Informer.Starter>map(kind -> kind::start).toList());
  }

  @Test
  @Tag("thorough")
  @Requires(RequiredTool.PYTHON)
  @Requires(RequiredTool.NODE)
  @Requires(RequiredTool.CARGO)
  void otherClients_haveTheStateAfterRestarts(
      @OwnApiserver Apiserver apiserver, @TempDir Path folder) throws Exception {
    assertStateAfterRestarts(
        apiserver,
        folder,
        List.of(
            ProgramInformer::ofPython,
            ProgramInformer::ofAsyncioPython,
            ProgramInformer::ofNode,
            (target, namespace) -> ProgramInformer.ofKubeRs("list", target, namespace),
            (target, namespace) -> ProgramInformer.ofKubeRs("streaming-list", target, namespace)));
  }

  private static void assertStateAfterRestarts(
      Apiserver apiserver, Path folder, List<Informer.Starter> starters) throws Exception {
    int port = StablePorts.free();
    Command gateway = ProxyProcess.start(apiserver, port);
    List<Informer> informers = new ArrayList<>();
    try {
      assertThat(gateway.awaitServing().kube()).isEqualTo(port);
      Target target = ProxyProcess.target(apiserver, port, folder);
      LabeledMaps maps = LabeledMaps.in(target);
      maps.create("first", "web");
      for (Informer.Starter starter : starters) {
        informers.add(starter.start(target, maps.namespace()));
      }
      awaitState(maps, informers);

      gateway.close();
      maps.set("first", 1);
      maps.create("during", "web");
      gateway = ProxyProcess.start(apiserver, port);
      gateway.awaitServing();
      maps.create("after", "web");
      awaitState(maps, informers);

      apiserver.stop();
      apiserver.start();
      maps.delete("during");
      maps.set("first", 2);
      awaitState(maps, informers);
    } finally {
      informers.forEach(Informer::close);
      gateway.close();
    }
  }

  private static void awaitState(LabeledMaps maps, List<Informer> informers) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              for (Informer informer : informers) {
                assertThat(informer.state()).isEqualTo(maps.listed());
              }
            });
  }
}
