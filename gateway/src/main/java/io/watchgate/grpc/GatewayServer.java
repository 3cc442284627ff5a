package io.watchgate.grpc;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
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
  /**
   * What the transport takes of a request, so that beyond {@link RequestMarshaller#MAX_BYTES} it
   * can be refused with a reason; as much as gRPC's servers take where nobody says otherwise. What
   * is larger yet is refused by the transport, without one. What all requests hold that are not
   * complete is bounded by {@link IncompleteRequests}.
   */
  private static final int MAX_INBOUND_BYTES = 4 << 20;

  /** A connection that resets streams faster than this is closed (rapid reset). */
  private static final int MAX_RESETS = 200;

  private static final int RESET_WINDOW_SECONDS = 10;

  /** Connections that are cut off end at once; this is for a machine that is too busy for it. */
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final Server server;
  private final EventLoops loops;
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
    this.loops =
        new EventLoops(
            Runtime.getRuntime().availableProcessors(), context.time(), context.metrics());
    this.service = new WatchService(context, admission, loops::current, calls);
    RefusableCalls refusable = new RefusableCalls(service::refused);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .directExecutor()
            .addService(service.definition())
            .addService(ServerInterceptors.intercept(health.getHealthService(), refusable))
            .addService(
                ServerInterceptors.intercept(ProtoReflectionServiceV1.newInstance(), refusable))
            // HTTP/2's own limit would let clients wait in silence; StreamPlaces says no.
            .maxConcurrentCallsPerConnection(Integer.MAX_VALUE)
            .maxInboundMessageSize(MAX_INBOUND_BYTES)
            .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(30, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS);
    loops.serve(builder);
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

  /**
   * Admits nothing more, tells every stream where to go on, and ends when all have ended, at the
   * latest after {@code atMost}.
   */
  public void drain(Duration atMost) throws InterruptedException {
    health.enterTerminalState();
    admission.drain();
    service.drain(Duration.ofSeconds(1));
    server.shutdown();
    server.awaitTermination(atMost.toMillis(), TimeUnit.MILLISECONDS);
    close();
  }

  /** Ends at once, and returns when no thread is left. A second call does nothing. */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    calls.shutdownNow(); // what still asks the apiserver asks for nobody
    loops.close();
  }
}
