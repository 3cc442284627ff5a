package io.watchgate.grpc;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.watchgate.proto.v1.WatchServiceGrpc;
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
   * Connections that are cut off end at once, and so do calls whose threads are interrupted; this
   * is for a machine that is too busy for it.
   */
  private static final Duration CLOSE = Duration.ofSeconds(5);

  /** Between two that leave: five hundred a second are no burden for where they go. */
  private static final Duration EACH = Duration.ofMillis(2);

  /** In which all replicas that are to end have heard of it. */
  private static final Duration HEAD_START = Duration.ofSeconds(1);

  private final Server server;
  private final EventLoops loops;
  private final WatchService service;
  private final Admission admission;
  private final HealthStatusManager health = new HealthStatusManager();
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("call-", 0).factory());

  /**
   * @param tls null for plaintext
   */
  public GatewayServer(GatewayContext context, InetSocketAddress address, @Nullable ServerTls tls) {
    this(context, address, tls, TransportSettings.DEFAULTS);
  }

  GatewayServer(
      GatewayContext context,
      InetSocketAddress address,
      @Nullable ServerTls tls,
      TransportSettings transport) {
    this.admission = new Admission(context.registry());
    this.loops =
        new EventLoops(
            Runtime.getRuntime().availableProcessors(),
            transport,
            context.time(),
            context.metrics());
    this.service = new WatchService(context, admission, loops, calls);
    EarlyRejectInterceptor refusable =
        new EarlyRejectInterceptor(loops::incoming, service::refused);
    ConcurrencyLimitInterceptor placed =
        new ConcurrencyLimitInterceptor(context.places(), service::refused);
    NettyServerBuilder builder =
        loops
            .server(address)
            .addService(service.definition())
            .addService(ServerInterceptors.intercept(health.getHealthService(), refusable, placed))
            .addService(
                ServerInterceptors.intercept(
                    ProtoReflectionServiceV1.newInstance(), refusable, placed))
            .addService(ServerInterceptors.intercept(reflectionV1alpha(), refusable, placed));
    Duration age = context.waits().streamAge();
    if (!age.isZero()) {
      // Through an address that stands for all replicas, whoever opens a stream anew comes to
      // another one only over another connection. Streams stay until they go.
      builder.maxConnectionAge(age.toMillis(), TimeUnit.MILLISECONDS);
    }
    if (tls != null) {
      builder.sslContext(tls.context());
    }
    this.server = builder.build();
  }

  /** Of grpcurl, evans and others that do not know v1 yet. */
  @SuppressWarnings("deprecation")
  private static BindableService reflectionV1alpha() {
    return ProtoReflectionService.newInstance();
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
   * Admits nothing more, tells every stream where to go on, one after the other, and ends when all
   * have ended, at the latest after {@code atMost}. Those that are in the middle of a snapshot have
   * most of that time to come to its end.
   *
   * <p>They are told after a tenth of that time, at most a second: replicas that end together, and
   * hear of it one after the other, then admit nobody when the first streams look for another one.
   */
  public void drain(Duration atMost) throws InterruptedException {
    health.enterTerminalState();
    admission.drain();
    Duration left = atMost;
    if (service.streams() > 0) {
      Duration tenth = atMost.dividedBy(10);
      Duration headStart = tenth.compareTo(HEAD_START) < 0 ? tenth : HEAD_START;
      Thread.sleep(headStart);
      left = atMost.minus(headStart);
    }
    Duration patience = left.multipliedBy(4).dividedBy(5);
    Duration paced = EACH.multipliedBy(service.streams());
    service.drain(paced.compareTo(patience) < 0 ? paced : patience);
    server.shutdown();
    if (!server.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      service.drainNow();
      server.awaitTermination(left.minus(patience).toMillis(), TimeUnit.MILLISECONDS);
    }
    close();
  }

  /** How many streams there are. */
  public int streams() {
    return service.streams();
  }

  /**
   * Sends so many streams on to other replicas, of those that have everything, the oldest first,
   * 500 a second. Returns when they are told; how many that were.
   *
   * @param age that they have at least
   * @param within what is not done by then is left
   */
  public int shed(int count, Duration age, Duration within) throws InterruptedException {
    return service.shed(count, age, EACH, within);
  }

  /**
   * From now on streams of clients that can go elsewhere are refused, so that they find the replica
   * that lacks some.
   *
   * @param most so many of them
   * @param beyond this number of streams
   */
  public void refuse(int most, int beyond) {
    service.refuse(most, beyond);
  }

  /** What requests hold that clients have begun to send and did not complete, in bytes. */
  public long incompleteBytes() {
    return loops.transport().incompleteBytes();
  }

  /** Beyond it such requests are refused. */
  public long incompleteBytesLimit() {
    return loops.transport().incompleteBytesLimit();
  }

  /** Connections that are open. */
  public long connections() {
    return loops.transport().connections().count();
  }

  /** Connections that were closed for streams that were reset before an answer. */
  public long connectionsReset() {
    return loops.transport().connections().endedForResets().count();
  }

  /** Connections that were closed since their clients did not answer keepalive pings. */
  public long connectionsDead() {
    return loops.transport().connections().endedForKeepalive().count();
  }

  /** What answers hold that were given and not read yet, in bytes. */
  public long unreadBytes() {
    return service.unread().bytes();
  }

  /** Beyond it further ones are refused. */
  public long unreadBytesLimit() {
    return service.unread().limit();
  }

  /** The same of a gateway with a heap of so many bytes. */
  public static long unreadBytesLimit(long heap) {
    return PendingResponseBytes.ofHeap(heap).limit();
  }

  /** Ends at once, and returns when no thread is left. A second call does nothing. */
  @Override
  public void close() {
    loops.transport().connections().close();
    service.close();
    server.shutdownNow();
    try {
      server.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
      calls.shutdownNow(); // what still asks the apiserver asks for nobody
      calls.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    calls.shutdownNow();
    loops.close();
  }
}
