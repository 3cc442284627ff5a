package io.watchgate.grpc;

import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gRPC server: the service, reflection and health, on one address. */
public final class GatewayServer implements AutoCloseable {
  /** What the transport takes of a request; from 64 KiB on it is refused with a reason. */
  private static final int MAX_INBOUND_BYTES = 1 << 20;

  /** A connection that resets streams faster than this is closed (rapid reset). */
  private static final int MAX_RESETS = 200;

  private static final int RESET_WINDOW_SECONDS = 10;

  private final Server server;
  private final WatchService service;
  private final Admission admission;
  private final HealthStatusManager health = new HealthStatusManager();
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("call-", 0).factory());

  /** Certificate chain and private key, PEM. */
  public record TlsFiles(File certificate, File key) {}

  /**
   * @param tls null for plaintext
   */
  public GatewayServer(GatewayContext context, InetSocketAddress address, @Nullable TlsFiles tls) {
    this.admission = new Admission(context.registry(), context.cacheSettings());
    this.service = new WatchService(context, admission);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .executor(calls)
            .addService(service)
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .maxInboundMessageSize(MAX_INBOUND_BYTES)
            .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(30, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS);
    if (tls != null) {
      builder.useTransportSecurity(tls.certificate(), tls.key());
    }
    this.server = builder.build();
  }

  /**
   * Begins to serve.
   *
   * @throws IOException if the address cannot be listened on
   */
  public void start() throws IOException {
    server.start();
    health.setStatus("", ServingStatus.SERVING);
    health.setStatus(WatchServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
  }

  public int port() {
    return server.getPort();
  }

  public int openStreams() {
    return service.openStreams();
  }

  /**
   * Admits nothing more, tells every stream where to go on, and ends when all have ended, at the
   * latest after {@code atMost}.
   */
  public void drain(Duration atMost) throws InterruptedException {
    health.enterTerminalState();
    admission.drain();
    service.drain(Duration.ofSeconds(1));
    server.shutdown();
    if (!server.awaitTermination(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      close();
    }
  }

  /**
   * Ends at once. The executor of the calls, which has no threads of its own, is left: gRPC tells
   * it the ends of streams even after those.
   */
  @Override
  public void close() {
    server.shutdownNow();
  }
}
