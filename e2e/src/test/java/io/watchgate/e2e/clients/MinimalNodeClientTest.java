package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;

@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MinimalNodeClientTest
    implements RestartedGatewayCase, SeveralServersCase, SnapshotAgainCase, TlsAndTokenCase {
  private final Program client;

  MinimalNodeClientTest() throws Exception {
    client = NodeProgram.prepare("examples/node", "minimal.mjs");
  }

  @Override
  public Program client() {
    return client;
  }
}
