package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import java.nio.file.Files;
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
    gateway =
        Command.start(
            "serve",
            "--kubeconfig",
            apiserver.kubeconfig().toString(),
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--kube-listen",
            "127.0.0.1:0",
            "--kube-relay-writes",
            "--tls-cert",
            apiserver.file(Credential.SERVER).toString(),
            "--tls-key",
            apiserver.file(Credential.SERVER_KEY).toString(),
            "--token-review");
    int port = gateway.awaitServing().kube();
    String kubeconfig =
        Files.readString(apiserver.kubeconfig())
            .replaceFirst("server: \\S+", "server: https://127.0.0.1:" + port)
            .replaceAll(
                "certificate-authority: (?!/)",
                "certificate-authority: " + apiserver.kubeconfig().getParent() + "/");
    target =
        new Target(
            Files.writeString(folder.resolve("kubeconfig"), kubeconfig), apiserver.cluster());
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  @Override
  public Target target() {
    return target;
  }
}
