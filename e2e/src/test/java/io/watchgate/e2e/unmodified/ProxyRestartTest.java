package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import java.nio.file.Path;
import java.time.Duration;
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
    int port = StablePorts.free();
    Command gateway = ProxyProcess.start(apiserver, port);
    try {
      assertThat(gateway.awaitServing().kube()).isEqualTo(port);
      Target target = ProxyProcess.target(apiserver, port, folder);
      LabeledMaps maps = LabeledMaps.in(target);
      maps.create("first", "web");
      try (Informer clientGo = Informer.Kind.CLIENT_GO.start(target, maps.namespace());
          Informer clientGoWithList =
              Informer.Kind.CLIENT_GO_WITH_LIST.start(target, maps.namespace());
          Informer fabric8 = Informer.Kind.FABRIC8.start(target, maps.namespace());
          Informer official = Informer.Kind.OFFICIAL.start(target, maps.namespace())) {
        awaitState(maps, clientGo, clientGoWithList, fabric8, official);

        gateway.close();
        maps.set("first", 1);
        maps.create("during", "web");
        gateway = ProxyProcess.start(apiserver, port);
        gateway.awaitServing();
        maps.create("after", "web");
        awaitState(maps, clientGo, clientGoWithList, fabric8, official);

        apiserver.stop();
        apiserver.start();
        maps.delete("during");
        maps.set("first", 2);
        awaitState(maps, clientGo, clientGoWithList, fabric8, official);
      }
    } finally {
      gateway.close();
    }
  }

  private static void awaitState(LabeledMaps maps, Informer... informers) {
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
