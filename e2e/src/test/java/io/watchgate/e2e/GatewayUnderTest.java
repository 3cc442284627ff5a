package io.watchgate.e2e;

import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.feed.FeedMetrics;
import io.watchgate.feed.FeedSettings;
import io.watchgate.feed.Owners;
import io.watchgate.grpc.GatewayContext;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.grpc.ServedTypes;
import io.watchgate.select.SelectableFields;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A gateway in this JVM, before the cluster that a kubeconfig names. */
public final class GatewayUnderTest implements AutoCloseable {
  /**
   * What tests set; the rest is as {@code watchgate serve} has it.
   *
   * @param historyBytes how much history each type keeps
   * @param longestBackoff between two attempts to reach the apiserver
   */
  public record Options(long historyBytes, Duration longestBackoff) {
    public static final Options DEFAULTS = new Options(64 << 20, Duration.ofSeconds(1));
  }

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final Owners owners = new Owners(2, timer, FeedMetrics.NONE);
  private final TypeRegistry registry;
  private final GatewayServer server;

  private GatewayUnderTest(Cluster cluster, Options options) {
    CacheSettings settings =
        CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
            .withHistory(Duration.ofMinutes(10), options.historyBytes())
            .withBackoff(Duration.ofMillis(50), options.longestBackoff());
    this.registry =
        new TypeRegistry(
            cluster,
            settings,
            TimeSource.SYSTEM,
            timer,
            Thread.ofPlatform().daemon().name("reflector-", 0).factory(),
            definition -> SelectableFields.of(definition).paths(),
            type -> CacheMetrics.NONE);
    this.server =
        new GatewayServer(
            new GatewayContext(
                cluster,
                registry,
                new ServedTypes(cluster, Set.of()),
                owners,
                settings,
                FeedSettings.DEFAULTS,
                TimeSource.SYSTEM,
                FeedMetrics.NONE,
                "e2e",
                "under-test",
                "0"),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null);
  }

  /** Returns once it serves on a port of this machine, without encryption. */
  public static GatewayUnderTest start(Path kubeconfig, Options options) {
    GatewayUnderTest gateway = new GatewayUnderTest(connect(kubeconfig), options);
    try {
      gateway.server.start();
    } catch (IOException e) {
      gateway.close();
      throw new UncheckedIOException(e);
    }
    return gateway;
  }

  /** Where it serves on this machine. */
  public int port() {
    return server.port();
  }

  @Override
  public void close() {
    server.close();
    registry.close();
    owners.close();
    timer.shutdownNow();
  }

  @SuppressWarnings("DoNotCallSuggester")
  private static Cluster connect(Path kubeconfig) {
    throw new UnsupportedOperationException("no connection to the cluster of " + kubeconfig);
  }
}
