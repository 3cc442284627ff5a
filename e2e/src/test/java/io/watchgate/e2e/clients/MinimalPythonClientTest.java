package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@Requires(RequiredTool.PYTHON)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MinimalPythonClientTest implements RestartedGatewayCase, TlsAndTokenCase {
  private final Program client;

  MinimalPythonClientTest() throws Exception {
    client = PythonClient.prepare("minimal.py");
  }

  @Override
  public Program client() {
    return client;
  }

  @Test
  void deadServer_clientUsesNextServer(Apiserver apiserver) throws Exception {
    Maps maps = new Maps(apiserver.cluster());
    maps.create("kept");
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver);
        WatchProgram watch =
            WatchProgram.start(
                client,
                unusedPort(),
                "-n",
                maps.namespace(),
                "--server",
                "127.0.0.1:" + gateway.port())) {
      watch.awaitStory(
          story -> assertThat(story).containsExactly(maps.line("ADDED", "kept"), "SYNCED"));
      assertThat(watch.program().err()).as("failures").hasSize(1);
    }
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
