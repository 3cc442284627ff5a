package io.watchgate.e2e.unmodified;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.sandbox.EmbeddedSandbox;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The tests with the sandbox. */
@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SandboxTest implements UnmodifiedClientCases {
  private EmbeddedSandbox sandbox;
  private Target target;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    sandbox = new EmbeddedSandbox();
    target = Target.plaintext(sandbox.uri(), folder);
  }

  @AfterAll
  void stop() {
    target.cluster().close();
    sandbox.close();
  }

  @Override
  public Target target() {
    return target;
  }
}
