package io.watchgate.bench.baseline;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.ops.OpsServer;
import io.watchgate.ops.ProcessGauges;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.PageAuthorizer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Baseline server for comparison with a gateway, including metrics of its process. */
public final class BaselineServer implements AutoCloseable {
  private final BaselineUpstream upstream;
  private final OpsServer ops;
  private @Nullable Serving server;

  /** Implementation of a baseline server. */
  public sealed interface Kind {
    /**
     * The lowest cost that is possible with grpc-java.
     *
     * @param loops event loops of the server, which also run its services
     * @param batch maximum number of events in a response, from 1
     * @param readyThreshold queued bytes up to which a stream accepts more
     */
    record Bare(List<EventLoop> loops, int batch, int readyThreshold) implements Kind {
      public Bare {
        loops = List.copyOf(loops);
      }
    }

    /** The usual implementation with the generated stub. */
    record Naive() implements Kind {}

    /**
     * Hand-made frames of HTTP/2, without gRPC.
     *
     * @param bootstrap bootstrap with the event loops
     * @param loops see {@link Bare}
     * @param batch see {@link Bare}
     */
    record Floor(
        ServerBootstrap bootstrap, InetSocketAddress address, List<EventLoop> loops, int batch)
        implements Kind {
      public Floor {
        loops = List.copyOf(loops);
      }
    }
  }

  /**
   * Starts serving.
   *
   * @param builder server builder with the address and transport for the kinds with gRPC
   * @param nettyDirect see {@link ProcessGauges}
   * @throws IOException if an address cannot be bound
   */
  public BaselineServer(
      Kind kind,
      ClientConfig access,
      ServerBuilder<?> builder,
      InetSocketAddress httpListen,
      LongSupplier nettyDirect)
      throws ConfigException, IOException {
    upstream = new BaselineUpstream(access);
    PrometheusRegistry registry = new PrometheusRegistry();
    ProcessGauges.register(registry, nettyDirect);
    ops =
        new OpsServer(
            httpListen,
            registry,
            List::of,
            PageAuthorizer.OPEN,
            DebugPages.NONE,
            PageAuthorizer.OPEN);
    try {
      ops.start();
      server =
          switch (kind) {
            case Kind.Bare(List<EventLoop> loops, int batch, int readyThreshold) ->
                serve(
                    builder.addService(
                        new EncodeOnceService(upstream, loops, batch, readyThreshold)
                            .definition()));
            case Kind.Naive _ -> serve(builder.addService(new NaiveService(upstream)));
            case Kind.Floor(
                    ServerBootstrap bootstrap,
                    InetSocketAddress address,
                    List<EventLoop> loops,
                    int batch) ->
                serve(new FloorServer(upstream, bootstrap, address, loops, batch));
          };
    } catch (IOException e) {
      close();
      throw new IOException("cannot listen: " + e.getMessage(), e);
    }
  }

  private record Serving(int port, Runnable end) {}

  private static Serving serve(ServerBuilder<?> builder) throws IOException {
    Server started = builder.build().start();
    return new Serving(started.getPort(), started::shutdownNow);
  }

  private static Serving serve(FloorServer started) {
    return new Serving(started.port(), started::close);
  }

  public int port() {
    return server == null ? -1 : server.port;
  }

  public int httpPort() {
    return ops.port();
  }

  @Override
  public void close() {
    if (server != null) {
      server.end.run();
    }
    ops.close();
    upstream.close();
  }
}
