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
    AnswerSources before = AnswerSources.of(gateway);
    story.run();
    AnswerSources after = AnswerSources.of(gateway);
    assertThat(after.cached(verb)).as("%s", after).isGreaterThan(before.cached(verb));
    after.assertNothingRelayedSince(before);
  }
}
