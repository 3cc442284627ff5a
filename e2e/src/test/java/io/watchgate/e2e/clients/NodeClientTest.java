package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class NodeClientTest
    implements ConformanceCases, CommandLineCases, RealGatewayCases, SeveralServersCase {
  private final Program client;

  NodeClientTest() throws Exception {
    client = NodeProgram.prepare("examples/node", "watch.mjs");
  }

  @Override
  public Program client() {
    return client;
  }
}
