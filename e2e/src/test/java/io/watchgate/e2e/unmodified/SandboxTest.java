package io.watchgate.e2e.unmodified;

import io.watchgate.cache.TimeSource;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.http.HttpServer;
import io.watchgate.http.HttpSettings;
import io.watchgate.sandbox.Sandbox;
import io.watchgate.sandbox.SandboxSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SandboxTest implements ServesKubernetes {
  private static final long SEED = 1;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private Sandbox sandbox;
  private HttpServer server;
  private Target target;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    SandboxSettings settings = SandboxSettings.forHeap(Runtime.getRuntime().maxMemory(), SEED);
    sandbox = Sandbox.create(settings, TimeSource.SYSTEM, timer);
    server =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null,
            sandbox.catalog(),
            sandbox.writes(),
            TimeSource.SYSTEM,
            HttpSettings.DEFAULT);
    server.start();
    target = Target.plaintext(URI.create("http://127.0.0.1:" + server.port()), folder);
  }

  @AfterAll
  void stop() {
    target.cluster().close();
    server.close();
    sandbox.close();
    timer.shutdownNow();
  }

  @Override
  public Target target() {
    return target;
  }
}
