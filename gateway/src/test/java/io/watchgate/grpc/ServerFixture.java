package io.watchgate.grpc;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.feed.FeedMetrics;
import io.watchgate.feed.FeedSettings;
import io.watchgate.feed.Routers;
import io.watchgate.json.FieldPaths;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A whole server on a port of this machine, before a cluster of one type. */
final class ServerFixture implements AutoCloseable {
  static final ListAndWatchRequest CONFIG_MAPS =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder()
                  .setResourceType(ResourceType.newBuilder().setResource("configmaps")))
          .build();

  private static final CacheSettings SETTINGS =
      CacheWriter.settings().withUnusedAfter(Duration.ofNanos(1));

  /** Silent, as the command has it: gRPC logs what it also reports. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  static {
    GRPC_LOG.setLevel(Level.OFF);
  }

  final LiveCluster cluster;
  private final TypeRegistry registry;
  final StreamPlaces places;
  final GatewayServer server;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Routers routers;
  private final List<ManagedChannel> channels = new ArrayList<>();

  ServerFixture(SampleObject... held) {
    this(StreamLimits.DEFAULTS, held);
  }

  ServerFixture(StreamLimits limits, SampleObject... held) {
    this(limits, FeedSettings.DEFAULTS, held);
  }

  ServerFixture(StreamLimits limits, FeedSettings feeds, SampleObject... held) {
    this(limits, feeds, null, held);
  }

  private ServerFixture(
      StreamLimits limits, FeedSettings feeds, @Nullable ServingTls tls, SampleObject... held) {
    this.places = new StreamPlaces(limits);
    this.routers = Routers.start(2, timer, feeds.limits());
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
    this.server =
        new GatewayServer(
            new GatewayContext(
                cluster,
                registry,
                new ServedTypes(cluster, type -> false),
                routers,
                places,
                SETTINGS,
                feeds,
                TimeSource.SYSTEM,
                FeedMetrics.NONE,
                "a cluster",
                "a server",
                "0"),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            tls);
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Serves with TLS; {@link #connect} is of no use then. */
  static ServerFixture with(ServingTls tls, SampleObject... held) {
    return new ServerFixture(StreamLimits.DEFAULTS, FeedSettings.DEFAULTS, tls, held);
  }

  /** Holds streams no longer than that. */
  static ServerFixture aging(Duration streamAge, SampleObject... held) {
    return new ServerFixture(
        StreamLimits.DEFAULTS, FeedSettings.DEFAULTS.withStreamAge(streamAge), held);
  }

  /** A connection of its own. */
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

  /** Whether a stream, or a call, has the type: without them it is closed at once. */
  boolean isTypeOpen() {
    return !registry.caches().isEmpty();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
    registry.close();
    routers.close();
    timer.shutdownNow();
  }
}
