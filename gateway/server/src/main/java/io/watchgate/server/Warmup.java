package io.watchgate.server;

import com.google.protobuf.ByteString;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessController;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchUpdate;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import io.watchgate.grpc.GatewayContext;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.grpc.ServedTypes;
import io.watchgate.json.FieldPaths;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warm-up of the JVM: one subscriber of a temporary gateway in front of an empty cluster, on a
 * loopback port that is closed afterwards. It receives a snapshot, resumes a stream and receives a
 * change. Otherwise the first stream would load and initialize its classes, and the first streams
 * of a new replica may be hundreds that another replica has lost. It is also the test of the lane
 * (package {@link io.watchgate.grpc.lane}), which depends on how gRPC and Netty work together.
 * Metrics do not count the warm-up.
 */
public final class Warmup {
  private static final Logger log = LoggerFactory.getLogger(Warmup.class);

  /**
   * End of the names of threads that work for the temporary gateway, not for the served cluster.
   */
  public static final String THREAD_NAME_END = "-" + WarmupCluster.RESOURCE;

  /** Limit of each step, after which the first subscribers are served without warm-up. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private static final CacheSettings CACHE = CacheSettings.forHeap(64 << 20);
  private static final FanoutSettings FEEDS = FanoutSettings.DEFAULTS;
  private static final ListAndWatchRequest REQUEST =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder()
                  .setResourceType(ResourceType.newBuilder().setResource(WarmupCluster.RESOURCE)))
          .build();

  private static final AtomicBoolean STARTED = new AtomicBoolean();

  /** Result of the only warm-up of this JVM; loaded classes stay loaded. */
  private static final CompletableFuture<Boolean> LANE_WORKS = new CompletableFuture<>();

  private Warmup() {}

  /**
   * Starts the warm-up, unless this JVM has had one.
   *
   * @return future that completes when the warm-up has succeeded, failed or timed out: true if its
   *     change took the lane
   */
  static CompletableFuture<Boolean> start() {
    if (STARTED.getAndSet(true)) {
      return LANE_WORKS;
    }
    Thread.ofPlatform()
        .daemon()
        .name("warmup")
        .start(
            () -> {
              try {
                LANE_WORKS.complete(run(LIMIT));
              } catch (IOException | ExecutionException | TimeoutException e) {
                log.debug("the warm-up failed; the first streams take a little longer", e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                LANE_WORKS.complete(false); // unless it is complete
              }
            });
    return LANE_WORKS;
  }

  /**
   * Runs the warm-up, and returns whether its change took the lane.
   *
   * @param limit longest time of each of the two steps
   */
  static boolean run(Duration limit)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    WarmupCluster cluster = new WarmupCluster();
    ScheduledExecutorService timer = Gateway.timer();
    RouterRegistry routers = RouterRegistry.start(1, timer, FEEDS.limits());
    TypeRegistry registry =
        new TypeRegistry(
            cluster,
            CACHE,
            TimeSource.SYSTEM,
            timer,
            Thread.ofPlatform().daemon().factory(),
            definition -> FieldPaths.NONE,
            definition -> CacheMetrics.NONE);
    GatewayServer server =
        new GatewayServer(context(cluster, registry, routers), anyLoopbackPort(), null);
    try (server) {
      server.start();
      server.useLane();
      server.serve("warmup");
      try (WatchClient client = WatchClient.to("127.0.0.1", server.port()).build()) {
        subscribe(client, cluster, limit);
      }
    } finally {
      registry.close();
      routers.close();
      timer.shutdownNow();
    }
    return server.laneCounts().byLane() > 0;
  }

  private static InetSocketAddress anyLoopbackPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static GatewayContext context(
      WarmupCluster cluster, TypeRegistry registry, RouterRegistry routers) {
    return new GatewayContext(
        new GatewayContext.Identity("warmup", "0"),
        new GatewayContext.Types(
            cluster,
            registry,
            new ServedTypes(cluster, type -> false),
            new StreamAdmission(registry)),
        new GatewayContext.Access(
            AccessController.allowAll(TimeSource.SYSTEM),
            AuditLog.NONE,
            new GatewayStreamLimiter(GatewayStreamLimits.DEFAULTS),
            new EndedStreams()),
        new GatewayContext.Delivery(routers, FEEDS, TimeSource.SYSTEM, FanoutMetrics.NONE));
  }

  private static void subscribe(WatchClient client, WarmupCluster cluster, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<ByteString> snapshot = new CompletableFuture<>();
    var _ =
        client.watch(
            REQUEST,
            update -> {
              if (update instanceof WatchUpdate.SnapshotComplete complete) {
                snapshot.complete(complete.position().token());
              }
            });
    ByteString token = snapshot.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    cluster.releaseChange();
    CompletableFuture<ByteString> changed = new CompletableFuture<>();
    var _ =
        client.watch(
            REQUEST.toBuilder().setResumeToken(token).build(),
            update -> {
              if (update instanceof WatchUpdate.Changes changes) {
                changed.complete(changes.position().token());
              }
            });
    changed.get(limit.toNanos(), TimeUnit.NANOSECONDS);
  }
}
