package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;

@Requires(RequiredTool.PYTHON)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MinimalPythonClientTest
    implements RestartedGatewayCase, SeveralServersCase, SnapshotAgainCase, TlsAndTokenCase {
  private final Program client;

  MinimalPythonClientTest() throws Exception {
    client = PythonClient.prepare("minimal.py");
  }

  @Override
  public Program client() {
    return client;
  }
}
