package io.watchgate.grpc;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.AuthTally;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.json.FieldPaths;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Complete server on a local port, with a cluster of one type. */
final class ServerFixture implements AutoCloseable {
  static final ListAndWatchRequest CONFIG_MAPS =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder()
                  .setResourceType(ResourceType.newBuilder().setResource("configmaps")))
          .build();

  private static final CacheSettings SETTINGS =
      CacheWriter.settings().withUnusedAfter(Duration.ofNanos(1));

  /** Silent, as in the command: gRPC logs what it also reports. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  static {
    GRPC_LOG.setLevel(Level.OFF);
  }

  final LiveCluster cluster;
  final AuthTally tally = new AuthTally();
  private final TypeRegistry registry;
  final StreamLimiter places;
  final AccessController gatekeeper;
  final GatewayContext context;
  final GatewayServer server;

  /** Lines of the audit log. */
  final Queue<String> audited = new ConcurrentLinkedQueue<>();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RouterRegistry routers;

  /** Offset of the clock by which credentials expire. */
  private final AtomicLong ahead = new AtomicLong();

  private final List<ManagedChannel> channels = new ArrayList<>();

  ServerFixture(SampleObject... held) {
    this(StreamLimits.DEFAULTS, held);
  }

  ServerFixture(StreamLimits limits, SampleObject... held) {
    this(limits, FanoutSettings.DEFAULTS, held);
  }

  ServerFixture(StreamLimits limits, FanoutSettings feeds, SampleObject... held) {
    this(limits, feeds, null, TransportSettings.DEFAULTS, Door.OPEN, held);
  }

  /** Reviewers that authenticate and authorize callers. */
  private record Door(AuthSettings settings, ScriptedReviewers apiserver) {
    static final Door OPEN = new Door(AuthSettings.NONE, new ScriptedReviewers());

    AccessController gatekeeper(RouterRegistry routers, TimeSource time, AuthMetrics metrics) {
      try {
        return AccessController.of(
            settings,
            new AccessController.Reviewers(apiserver, apiserver),
            new AccessController.Reviewers(apiserver, apiserver),
            routers,
            time,
            metrics);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private ServerFixture(
      StreamLimits limits,
      FanoutSettings feeds,
      @Nullable ServerTls tls,
      TransportSettings transport,
      Door door,
      SampleObject... held) {
    this.places = new StreamLimiter(limits);
    this.routers = RouterRegistry.start(2, timer, feeds.limits());
    this.gatekeeper =
        door.gatekeeper(
            routers,
            new TimeSource(() -> Instant.now().plusNanos(ahead.get()), System::nanoTime),
            tally);
    this.cluster = new LiveCluster(List.of(held));
    this.registry =
        new TypeRegistry(
            cluster,
            SETTINGS,
            TimeSource.SYSTEM,
            timer,
            Thread.ofPlatform().daemon().factory(),
            definition -> FieldPaths.NONE,
            type -> CacheMetrics.NONE);
    this.context =
        new GatewayContext(
            cluster,
            registry,
            new ServedTypes(cluster, type -> false),
            routers,
            places,
            gatekeeper,
            new AuditLog(audited::add, InstantSource.system(), AuditSettings.EACH),
            SETTINGS,
            feeds,
            TimeSource.SYSTEM,
            FanoutMetrics.NONE,
            "a cluster",
            "a server",
            "0");
    this.server =
        new GatewayServer(
            context, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tls, transport);
    gatekeeper.start(timer, cluster, registry);
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Serves with TLS; {@link #connect} does not work then. */
  static ServerFixture with(ServerTls tls, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS,
        FanoutSettings.DEFAULTS,
        tls,
        TransportSettings.DEFAULTS,
        Door.OPEN,
        held);
  }

  /** Serves over connections with these timeouts. */
  static ServerFixture with(TransportSettings transport, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS, FanoutSettings.DEFAULTS, null, transport, Door.OPEN, held);
  }

  /** Serves with authentication and authorization. */
  static ServerFixture withAccessControl(
      AuthSettings settings, ScriptedReviewers apiserver, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS,
        FanoutSettings.DEFAULTS,
        null,
        TransportSettings.DEFAULTS,
        new Door(settings, apiserver),
        held);
  }

  /** Serves with authentication, authorization and TLS. */
  static ServerFixture withAccessControl(
      AuthSettings settings, ScriptedReviewers apiserver, ServerTls tls, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS,
        FanoutSettings.DEFAULTS,
        tls,
        TransportSettings.DEFAULTS,
        new Door(settings, apiserver),
        held);
  }

  /** Serves with a maximum age of streams. */
  static ServerFixture withStreamAge(Duration streamAge, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS, FanoutSettings.DEFAULTS.withStreamAge(streamAge), held);
  }

  /** Returns a new connection. */
  ManagedChannel connect() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .disableRetry()
            .maxInboundMessageSize(64 << 20)
            .build();
    channels.add(channel);
    return channel;
  }

  /** Moves the clock by which credentials expire forward by {@code duration}. */
  void advanceClock(Duration duration) {
    ahead.addAndGet(duration.toNanos());
  }

  /** Returns a channel whose calls send a token. */
  static Channel withToken(Channel channel, String token) {
    return with(channel, "authorization", "Bearer " + token);
  }

  /** Returns a channel whose calls send these values as metadata. */
  static Channel with(Channel channel, String name, String... values) {
    Metadata headers = new Metadata();
    for (String value : values) {
      headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    }
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /**
   * Returns whether a stream, or a call, has a lease on the type: without leases it is closed at
   * once.
   */
  boolean isTypeOpen() {
    return !registry.caches().isEmpty();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
    gatekeeper.close();
    registry.close();
    routers.close();
    timer.shutdownNow();
  }
}
