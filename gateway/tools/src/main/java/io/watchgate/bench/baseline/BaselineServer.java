package io.watchgate.bench.baseline;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.bench.baseline.BaselineUpstream.ListResult;
import io.watchgate.bench.baseline.BaselineUpstream.NamespacedType;
import io.watchgate.kube.ApiClient;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.ops.MetricsAuthorizer;
import io.watchgate.ops.OpsServer;
import io.watchgate.ops.ProcessGauges;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Baseline server for comparison with a gateway, including metrics of its process. */
public final class BaselineServer implements AutoCloseable {
  private static final long LIST_SECONDS = 60;

  private final ApiClient api;
  private final OpsServer ops;
  private final Server server;
  private final Queue<RawWatch> watches = new ConcurrentLinkedQueue<>();

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
    api = ApiClient.of(access, KubeSettings.DEFAULT);
    PrometheusRegistry registry = new PrometheusRegistry();
    ProcessGauges.register(registry, nettyDirect);
    ops = new OpsServer(httpListen, registry, () -> "", MetricsAuthorizer.OPEN);
    BaselineUpstream upstream = new Apiserver();
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

  private final class Apiserver implements BaselineUpstream {
    @Override
    public void watch(NamespacedType resources, String version, Topics.Listener listener)
        throws KubeException {
      watches.add(
          RawWatch.open(
              api,
              resources.path() + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version,
              line -> {
                if (EventLine.isChange(line)) {
                  listener.event(EventLine.of(line));
                }
              }));
    }

    /**
     * Lists with a watch that begins with all objects, because its lines can be split without
     * parsing.
     */
    @Override
    public ListResult list(NamespacedType resources)
        throws KubeException, ExecutionException, TimeoutException, InterruptedException {
      List<EventLine> objects = new ArrayList<>();
      CompletableFuture<Long> version = new CompletableFuture<>();
      try (RawWatch _ =
          RawWatch.open(
              api,
              resources.path()
                  + "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
                  + "&resourceVersionMatch=NotOlderThan",
              line -> {
                if (version.isDone()) {
                  return;
                }
                if (EventLine.isChange(line)) {
                  objects.add(EventLine.of(line));
                } else {
                  version.complete(EventLine.version(line)); // the bookmark after all objects
                }
              })) {
        return new ListResult(objects, version.get(LIST_SECONDS, TimeUnit.SECONDS));
      }
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
    watches.forEach(RawWatch::close);
    ops.close();
    api.close();
  }
}
