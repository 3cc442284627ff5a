package io.watchgate.grpc;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.watchgate.admission.DrainPace;
import io.watchgate.admission.PendingResponseBytes;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.grpc.lane.LaneFlusher;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** gRPC server with the watch service, reflection and health, on one address. */
public final class GatewayServer implements AutoCloseable {
  private final Server server;
  private final EventLoops loops;
  private final WatchService service;

  /** Null if no calls arrive over HTTP. */
  private volatile @Nullable CallStarter httpCalls;

  private final StreamAdmission admission;
  private final ServedClusterId clusterId = new ServedClusterId();
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
    this.admission = context.types().admission();
    this.loops =
        new EventLoops(
            Runtime.getRuntime().availableProcessors(),
            transport,
            context.delivery().time(),
            context.delivery().metrics());
    this.service = new WatchService(context, clusterId, admission, loops, calls);
    CallLimitInterceptor limits = service.callLimits();
    UnauthenticatedServiceLimit reflections =
        new UnauthenticatedServiceLimit(RequestLimits.MAX_REFLECTION_CALLS);
    NettyServerBuilder builder =
        loops
            .server(address)
            .addService(service.definition())
            .addService(
                ServerInterceptors.intercept(
                    health.getHealthService(),
                    new UnauthenticatedServiceLimit(Integer.MAX_VALUE),
                    limits))
            .addService(
                ServerInterceptors.intercept(
                    ProtoReflectionServiceV1.newInstance(), reflections, limits))
            .addService(ServerInterceptors.intercept(reflectionV1alpha(), reflections, limits));
    Duration age = context.delivery().settings().streamAge();
    if (!age.isZero()) {
      // Behind an address that is shared by all replicas, a new stream reaches another replica only
      // over a new connection. Streams stay until they end.
      builder.maxConnectionAge(age.toMillis(), TimeUnit.MILLISECONDS);
    }
    if (tls != null) {
      builder.sslContext(tls.context());
      loops.transport().connections().onCertificateRefused(tls::endSessions);
    }
    this.server = builder.build();
  }

  /** Reflection for grpcurl, evans and others that do not know v1 yet. */
  @SuppressWarnings("deprecation")
  private static BindableService reflectionV1alpha() {
    return ProtoReflectionService.newInstance();
  }

  /**
   * Begins to listen. Until {@link #serve} every call is refused with STARTING, and health is
   * NOT_SERVING.
   *
   * @throws IOException if the gateway cannot listen on the address
   */
  public void start() throws IOException {
    setHealth(ServingStatus.NOT_SERVING);
    server.start();
  }

  /**
   * Begins to serve.
   *
   * @param cluster identity of the cluster: uid of namespace kube-system, or the configured name
   */
  public void serve(String cluster) {
    clusterId.set(cluster);
    setHealth(ServingStatus.SERVING);
  }

  private void setHealth(ServingStatus status) {
    health.setStatus("", status);
    health.setStatus(WatchServiceGrpc.SERVICE_NAME, status);
  }

  public int port() {
    return server.getPort();
  }

  /**
   * Admits nothing more, sends GOING_AWAY to all streams one after the other, and closes the server
   * when all have ended, at the latest after {@code atMost}. Streams in the middle of a snapshot
   * have most of that time to finish it.
   *
   * <p>GOING_AWAY starts after a tenth of that time, at most 1 s. Replicas that end together get
   * their signal one after the other. After that delay all of them refuse new streams, before the
   * first streams look for another replica.
   */
  public void drain(Duration atMost) throws InterruptedException {
    health.enterTerminalState();
    admission.drain();
    DrainPace pace = service.streams() > 0 ? DrainPace.of(atMost) : DrainPace.withoutDelay(atMost);
    Thread.sleep(pace.delay());
    service.drain(pace.spread(service.streams()));
    server.shutdown();
    if (!awaitEnds(pace.maxSpread())) {
      service.drainNow();
      var _ = awaitEnds(atMost.minus(pace.delay()).minus(pace.maxSpread()));
    }
    close();
  }

  /** Waits for all calls; those that arrived over HTTP are no calls of gRPC's server. */
  private boolean awaitEnds(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    boolean ended = server.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS);
    CallStarter calls = httpCalls;
    return (calls == null || calls.awaitIdle(Duration.ofNanos(until - System.nanoTime()))) && ended;
  }

  /**
   * Returns the entrance for calls that arrive over HTTP.
   *
   * @param limit maximum number of these calls at a time
   */
  public CallStarter callStarter(int limit) {
    CallStarter calls = service.callStarter(limit);
    httpCalls = calls;
    return calls;
  }

  /** Returns the event loops of the streams. */
  public List<StreamLoop> streamLoops() {
    return loops.streamLoops();
  }

  /** Returns the number of streams. */
  public int streams() {
    return service.streams();
  }

  /**
   * Sends GOING_AWAY to streams that are up to date, the oldest first, 500 a second, so that they
   * move to other replicas. Returns after the last one; the result is the number of streams that
   * were moved.
   *
   * @param count number of streams to move
   * @param age least age of these streams
   * @param within time after which the remaining streams stay
   */
  public int shed(int count, Duration age, Duration within) throws InterruptedException {
    return service.shedder().shed(count, age, within);
  }

  /**
   * Refuses new streams of clients that can use other replicas, so that they reach the replica that
   * has too few.
   *
   * @param maxRefusals number of streams to refuse
   * @param threshold number of open streams above which streams are refused
   */
  public void refuseNewStreams(int maxRefusals, int threshold) {
    service.refuseNewStreams(maxRefusals, threshold);
  }

  /**
   * Returns the memory of requests that clients have begun to send and did not complete, in bytes.
   */
  public long incompleteBytes() {
    return loops.transport().incompleteBytes();
  }

  /** Returns the bytes above which such requests are refused. */
  public long incompleteBytesLimit() {
    return loops.transport().incompleteBytesLimit();
  }

  /** Returns the number of open connections. */
  public long connections() {
    return loops.transport().connections().count();
  }

  /**
   * Returns the number of connections from which nothing is read, since their clients read nothing.
   */
  public long connectionsPaused() {
    return loops.transport().connections().paused();
  }

  /**
   * Installs the lane (package {@link io.watchgate.grpc.lane}) on connections, so that {@link
   * #useLane} also reaches those that begin before it.
   */
  public void prepareLane() {
    loops.transport().connections().prepareLane();
  }

  /** Lets new streams send by the lane. Until it is called, all responses are sent by gRPC. */
  public void useLane() {
    loops.transport().connections().useLane();
  }

  /** Returns the number of connections on which the lane could not be installed. */
  public long connectionsWithoutLane() {
    return loops.transport().connections().withoutLane();
  }

  /** Returns the counts of responses to streams, with a lane or without; also after the end. */
  public LaneFlusher.Counts laneCounts() {
    return loops.transport().laneCounts();
  }

  /** Returns the number of connections closed for resets of streams before a response. */
  public long connectionsReset() {
    return loops.transport().connections().endedForResets().count();
  }

  /**
   * Returns the number of connections closed because their clients did not answer keepalive pings.
   */
  public long connectionsDead() {
    return loops.transport().connections().endedForKeepalive().count();
  }

  /** Returns the number of connections closed because their clients read nothing. */
  public long connectionsUnread() {
    return loops.transport().connections().endedUnread().count();
  }

  /**
   * Returns the bytes of unary responses, and of answers over HTTP, that clients have not read;
   * those of streams are counted by {@code OutboundBytes}.
   */
  public long unreadUnaryBytes() {
    return service.pendingResponses().bytes();
  }

  /** Returns the bytes above which further such responses are refused. */
  public long unreadUnaryBytesLimit() {
    return service.pendingResponses().limit();
  }

  /** Returns the limit of unread bytes of a gateway with a heap of {@code heap} bytes. */
  public static long unreadUnaryBytesLimit(long heap) {
    return PendingResponseBytes.ofHeap(heap).limit();
  }

  /** Ends at once, and returns when all threads have ended. A second call does nothing. */
  @Override
  public void close() {
    loops.transport().connections().close();
    service.close();
    server.shutdownNow();
    try {
      server.awaitTermination(TransportSettings.CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      calls.shutdownNow(); // callers of pending requests to the apiserver are gone
      calls.awaitTermination(TransportSettings.CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    calls.shutdownNow();
    loops.close();
  }
}
