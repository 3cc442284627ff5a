package io.watchgate.bench.yardstick;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.kube.ClusterAccess;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.RawApi;
import io.watchgate.ops.OpsServer;
import io.watchgate.ops.ProcessGauges;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server to measure against, with the transport's settings of a gateway, and metrics of the
 * process.
 */
public final class Yardstick implements AutoCloseable {
  private final RawApi api;
  private final OpsServer ops;
  private final Server server;
  private final Queue<RawWatch> watches = new ConcurrentLinkedQueue<>();
  private final @Nullable EventLoopGroup loops;

  /** Which. */
  public sealed interface Kind {
    /**
     * What grpc-java can do at best.
     *
     * @param batch how many events at most go into a response, from 1
     * @param readyThreshold bytes under way up to which a stream takes more
     */
    record Limit(int batch, int readyThreshold) implements Kind {}

    /** As people write it. */
    record Naive() implements Kind {}
  }

  /**
   * Serves at once.
   *
   * @param nettyDirect see {@link ProcessGauges}
   * @throws IOException if an address cannot be listened on
   */
  public Yardstick(
      Kind kind,
      ClusterAccess access,
      InetSocketAddress listen,
      InetSocketAddress httpListen,
      LongSupplier nettyDirect)
      throws ConfigException, IOException {
    api = RawApi.of(access, KubeSettings.DEFAULT);
    PrometheusRegistry registry = new PrometheusRegistry();
    ProcessGauges.register(registry, nettyDirect);
    ops = new OpsServer(httpListen, registry, () -> "");
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(listen)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(30, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS);
    loops =
        switch (kind) {
          case Kind.Limit(int batch, int readyThreshold) -> {
            EventLoopGroup own = loops();
            builder
                .directExecutor()
                .bossEventLoopGroup(own)
                .workerEventLoopGroup(own)
                .channelType(channelType())
                .addService(new LimitService(this::watch, own, batch, readyThreshold).definition());
            yield own;
          }
          case Kind.Naive _ -> {
            builder.addService(new NaiveService(this::watch));
            yield null;
          }
        };
    server = builder.build();
    try {
      ops.start();
      server.start();
    } catch (IOException e) {
      close();
      throw new IOException("cannot listen on " + listen + ": " + e.getMessage(), e);
    }
  }

  /** As many, and of the same kind, as gRPC makes by itself. */
  private static EventLoopGroup loops() {
    return new MultiThreadIoEventLoopGroup(
        Runtime.getRuntime().availableProcessors(),
        new DefaultThreadFactory("loop", true),
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  private static Class<? extends ServerChannel> channelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  private void watch(String namespace, String plural, String version, Topics.Listener listener)
      throws KubeException {
    watches.add(
        RawWatch.open(
            api,
            "api/v1/namespaces/%s/%s?watch=1&allowWatchBookmarks=true&resourceVersion=%s"
                .formatted(namespace, plural, version),
            line -> {
              if (EventLine.isChange(line)) {
                listener.event(EventLine.of(line));
              }
            }));
  }

  public int port() {
    return server.getPort();
  }

  public int httpPort() {
    return ops.port();
  }

  @Override
  public void close() {
    server.shutdownNow();
    watches.forEach(RawWatch::close);
    ops.close();
    api.close();
    if (loops != null) {
      var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }
}
