package io.watchgate.e2e.clients;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.program.Program;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Requires(RequiredTool.PYTHON)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class PythonClientTest
    implements ConformanceCases, CommandLineCases, RealGatewayCases, SeveralServersCase {
  private final Program client;

  PythonClientTest() throws Exception {
    client = PythonClient.prepare("watch.py");
  }

  @Override
  public Program client() {
    return client;
  }
}
