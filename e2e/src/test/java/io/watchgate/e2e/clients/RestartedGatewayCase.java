package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.proxy.FaultProxy;
import java.net.URI;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Test of a client whose gateway is restarted, in front of a real apiserver. */
@WithApiserver
interface RestartedGatewayCase {
  Program client();

  @Test
  default void restartedGateway_clientEqualsApiserver(Apiserver apiserver) throws Exception {
    long seed = System.nanoTime();
    System.err.println("seed " + seed);
    Random random = new Random(seed);
    Maps maps = new Maps(apiserver.cluster());
    maps.writeRandomly(random, 30);
    GatewayUnderTest gateway = gateway(apiserver);
    // The proxy keeps its port, so that the next gateway may use another port than the previous
    // one.
    try (FaultProxy front = new FaultProxy(uri(gateway));
        WatchProgram watch =
            WatchProgram.start(client(), front.port(), "-n", maps.namespace(), "-l", "side=left")) {
      maps.writeRandomly(random, 60);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      gateway.close();
      front.pass(FaultProxy.Manner.CUT);
      maps.writeRandomly(random, 30);
      gateway = gateway(apiserver);
      front.setTarget(uri(gateway));
      front.pass(FaultProxy.Manner.PASSING);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      maps.writeRandomly(random, 30);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      assertThat(watch.story()).as("one snapshot").containsOnlyOnce("SYNCED");
      assertThat(watch.program().stop()).isZero();
    } finally {
      gateway.close();
    }
  }

  static GatewayUnderTest gateway(Apiserver apiserver) {
    return GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  private static URI uri(GatewayUnderTest gateway) {
    return URI.create("http://127.0.0.1:" + gateway.port());
  }
}
