package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The tests with a gateway before a real kube-apiserver, over TLS and with a bearer token. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CachingProxyTest implements UnmodifiedClientCases {
  /** Most attempts of a story until no cache is too slow for it. */
  private static final int ATTEMPTS = 5;

  private Command gateway;
  private Target target;

  @BeforeAll
  void start(Apiserver apiserver, @TempDir Path folder) throws Exception {
    gateway = ProxyProcess.start(apiserver, 0, "configmaps", "deployments.apps");
    gateway.awaitReady();
    target = ProxyProcess.target(apiserver, gateway.awaitServing().kube(), folder);
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  @Override
  public Target target() {
    return target;
  }

  @Override
  public void recordTried(TriedClient client, TriedClient.Circumstance circumstance)
      throws IOException {
    client.record(circumstance);
  }

  @Override
  public void runCacheable(String verb, Story story) throws Exception {
    for (int i = 0; i < ATTEMPTS; i++) {
      AnswerSources before = AnswerSources.of(gateway);
      story.run();
      AnswerSources after = AnswerSources.of(gateway);
      if (after.relayedForSlowness() == before.relayedForSlowness()) {
        assertThat(after.cached(verb)).as("%s", after).isGreaterThan(before.cached(verb));
        after.assertNothingRelayedSince(before);
        return;
      }
      // The machine was busy: the apiserver answered after a slow proof.
      after.assertOnlySlowRelayedSince(before);
    }
    throw new AssertionError("the cache was too slow each time");
  }
}
