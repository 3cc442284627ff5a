package io.watchgate.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.audit.AuditLog;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.encode.ByteSlices;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Benchmark of the heap per idle stream. It compares a bare server with the gateway. The bare
 * server has the same transport and only keeps the call. In the gateway all streams share one feed,
 * or each has its own. The clients are another process.
 */
final class StreamHeapBenchmark {
  private static final int STREAMS = 1_000;
  private static final int CONNECTIONS = 10;

  /** Selections of the streams. */
  private enum Feeds {
    SHARED {
      @Override
      ListAndWatchRequest request(int stream) {
        return ServerFixture.CONFIG_MAPS;
      }
    },

    /** Like agents, one per node. */
    OWN {
      @Override
      ListAndWatchRequest request(int stream) {
        ListAndWatchRequest.Builder request = ServerFixture.CONFIG_MAPS.toBuilder();
        request.getSelectionBuilder().setLabelSelector("node=worker-" + stream);
        return request.build();
      }
    };

    abstract ListAndWatchRequest request(int stream);
  }

  private StreamHeapBenchmark() {}

  /** Runs the process of the clients, with a port and {@link Feeds} as its arguments. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length == 2) {
      clients(Integer.parseInt(args[0]), Feeds.valueOf(args[1]));
      return;
    }
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (Feeds feeds : Feeds.values()) {
      double bare = bare(feeds);
      double ours = ours(feeds);
      out.printf(
          Locale.ROOT,
          "%,d streams, %d connections, feeds %s, bytes of heap a stream: bare %,.0f, ours %,.0f,"
              + " more %,.0f%n",
          STREAMS,
          CONNECTIONS,
          feeds.name().toLowerCase(Locale.ROOT),
          bare,
          ours,
          ours - bare);
    }
  }

  private static double bare(Feeds feeds) throws IOException, InterruptedException {
    EventLoops loops =
        new EventLoops(
            Runtime.getRuntime().availableProcessors(),
            TransportSettings.DEFAULTS,
            TimeSource.SYSTEM,
            FanoutMetrics.NONE);
    Server server =
        loops
            .server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
                    .addMethod(WatchMethods.LIST_AND_WATCH, StreamHeapBenchmark::keep)
                    .build())
            .build()
            .start();
    try {
      return perStream(server.getPort(), feeds);
    } finally {
      server.shutdownNow().awaitTermination();
      loops.close();
    }
  }

  private static ServerCall.Listener<RequestParseResult<ListAndWatchRequest>> keep(
      ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call, Metadata headers) {
    call.request(2);
    return new ServerCall.Listener<>() {
      @Override
      public void onHalfClose() {
        call.sendHeaders(new Metadata());
        call.sendMessage(ByteSlices.of(new byte[] {0x62, 0})); // Synced
      }
    };
  }

  private static double ours(Feeds feeds) throws IOException, InterruptedException {
    try (ServerFixture fixture = new ServerFixture(SampleObject.of("ns", "a", 50));
        GatewayServer server =
            new GatewayServer(
                withoutAudit(fixture.context),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                null)) {
      server.start();
      server.useLane();
      server.serve("a cluster");
      return perStream(server.port(), feeds);
    }
  }

  /** The fixture keeps each audit line of a stream. */
  private static GatewayContext withoutAudit(GatewayContext audited) {
    GatewayContext.Access access = audited.access();
    return new GatewayContext(
        audited.identity(),
        audited.types(),
        new GatewayContext.Access(
            access.controller(), AuditLog.NONE, access.streams(), access.endedStreams()),
        audited.delivery());
  }

  /**
   * The first clients are not counted, because they create shared objects: classes, pools, the
   * type, its feed.
   */
  private static double perStream(int port, Feeds feeds) throws IOException, InterruptedException {
    ManagedChannel channel = connect(port);
    try {
      open(List.of(channel), 1, Feeds.SHARED);
      ready(client(port, feeds)).destroy();
      LockSupport.parkNanos(2_000_000_000L);
      long before = liveHeap();
      Process clients = ready(client(port, feeds));
      try {
        return (liveHeap() - before) / (double) STREAMS;
      } finally {
        clients.destroy();
        clients.waitFor();
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static Process client(int port, Feeds feeds) throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            StreamHeapBenchmark.class.getName(),
            Integer.toString(port),
            feeds.name())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static Process ready(Process clients) throws IOException {
    BufferedReader out = clients.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.equals("ready")) {
        return clients;
      }
    }
    throw new IOException("the clients ended");
  }

  private static void clients(int port, Feeds feeds) throws IOException {
    List<ManagedChannel> channels = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(connect(port));
    }
    open(channels, STREAMS, feeds);
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println("ready");
    var _ = System.in.read(); // until the other process has measured this one
  }

  private static ManagedChannel connect(int port) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  private static void open(List<ManagedChannel> channels, int count, Feeds feeds) {
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      streams.add(RawStream.open(channels.get(i % channels.size()), feeds.request(i)));
    }
    while (!streams.stream().allMatch(RawStream::isSynced)) {
      streams.stream()
          .filter(RawStream::isOver)
          .findFirst()
          .ifPresent(
              over -> {
                throw new IllegalStateException("a stream has ended: " + over.end().summary());
              });
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static long liveHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
