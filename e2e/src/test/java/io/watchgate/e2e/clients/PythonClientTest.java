package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;

@Requires(RequiredTool.PYTHON)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Isolated // its gateway is started anew on the same port, which others may take meanwhile
final class PythonClientTest implements FollowsAScript, FollowsAGateway {
  private final Program client;

  PythonClientTest() throws Exception {
    client = PythonClient.prepare();
  }

  @Override
  public Program client() {
    return client;
  }
}
