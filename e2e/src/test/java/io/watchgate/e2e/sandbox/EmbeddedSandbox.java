package io.watchgate.e2e.sandbox;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.http.HttpServer;
import io.watchgate.http.HttpSettings;
import io.watchgate.sandbox.Sandbox;
import io.watchgate.sandbox.SandboxSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Sandbox served on a free port, as the command serves it. */
public final class EmbeddedSandbox implements AutoCloseable {
  private static final long HEAP = 1L << 30;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final Sandbox sandbox =
      Sandbox.create(SandboxSettings.forHeap(HEAP, 1), TimeSource.SYSTEM, timer);
  private final HttpServer server;

  public EmbeddedSandbox() throws IOException {
    server =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null,
            sandbox.catalog(),
            sandbox.writes(),
            TimeSource.SYSTEM,
            HttpSettings.DEFAULT,
            FanoutSettings.DEFAULTS);
    server.start();
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.port());
  }

  @Override
  public void close() {
    server.close();
    sandbox.close();
    timer.shutdownNow();
  }
}
