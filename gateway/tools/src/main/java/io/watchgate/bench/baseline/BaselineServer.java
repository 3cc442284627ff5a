package io.watchgate.bench.baseline;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.ops.MetricsAuthorizer;
import io.watchgate.ops.OpsServer;
import io.watchgate.ops.ProcessGauges;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.LongSupplier;

/** Baseline server for comparison with a gateway, including metrics of its process. */
public final class BaselineServer implements AutoCloseable {
  private final BaselineUpstream upstream;
  private final OpsServer ops;
  private final Server server;

  /** Implementation of a baseline server. */
  public sealed interface Kind {
    /**
     * The lowest cost that is possible with grpc-java.
     *
     * @param loops event loops of the server, which also run its services
     * @param batch maximum number of events in a response, from 1
     * @param readyThreshold queued bytes up to which a stream accepts more
     */
    record Limit(List<EventLoop> loops, int batch, int readyThreshold) implements Kind {
      public Limit {
        loops = List.copyOf(loops);
      }
    }

    /** The usual implementation with the generated stub. */
    record Naive() implements Kind {}
  }

  /**
   * Starts serving.
   *
   * @param builder server builder with the address and transport for the kind
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
    ops = new OpsServer(httpListen, registry, () -> "", MetricsAuthorizer.OPEN);
    switch (kind) {
      case Kind.Limit(List<EventLoop> loops, int batch, int readyThreshold) ->
          builder.addService(
              new EncodeOnceService(upstream, loops, batch, readyThreshold).definition());
      case Kind.Naive _ -> builder.addService(new NaiveService(upstream));
    }
    server = builder.build();
    try {
      ops.start();
      server.start();
    } catch (IOException e) {
      close();
      throw new IOException("cannot listen: " + e.getMessage(), e);
    }
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
    ops.close();
    upstream.close();
  }
}
