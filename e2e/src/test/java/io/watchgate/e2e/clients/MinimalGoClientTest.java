package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;

@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MinimalGoClientTest
    implements RestartedGatewayCase, SeveralServersCase, SnapshotAgainCase, TlsAndTokenCase {
  private final Program client;

  MinimalGoClientTest() throws Exception {
    client = GoClient.prepare("./minimal");
  }

  @Override
  public Program client() {
    return client;
  }
}
