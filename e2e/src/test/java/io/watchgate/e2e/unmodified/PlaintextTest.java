package io.watchgate.e2e.unmodified;

import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.program.RunningProgram;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests over HTTP without encryption and credentials, the interface of {@code kubectl proxy}.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PlaintextTest implements UnmodifiedClientCases {
  private static final String SERVING = "Starting to serve on ";

  private RunningProgram proxy;
  private Target target;

  @BeforeAll
  void start(Apiserver apiserver, @TempDir Path folder) throws Exception {
    proxy = Kubectl.at(apiserver.kubeconfig()).and("proxy", "--port=0").start();
    await().atMost(Duration.ofMinutes(3)).until(() -> !proxy.out().isEmpty());
    String address = proxy.out().getFirst().substring(SERVING.length());
    target = Target.plaintext(URI.create("http://" + address), folder);
  }

  @AfterAll
  void stop() {
    target.cluster().close();
    proxy.close();
  }

  @Override
  public Target target() {
    return target;
  }
}
