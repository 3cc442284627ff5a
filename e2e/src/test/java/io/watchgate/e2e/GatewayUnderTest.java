package io.watchgate.e2e;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cli.Gateway;
import io.watchgate.cli.GatewaySettings;
import io.watchgate.feed.FeedSettings;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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

  private final Gateway gateway;

  private GatewayUnderTest(Gateway gateway) {
    this.gateway = gateway;
  }

  /** Returns once it serves on a port of this machine, without encryption. */
  public static GatewayUnderTest start(Path kubeconfig, Options options) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    CacheSettings cache =
        CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
            .withHistory(Duration.ofMinutes(10), options.historyBytes())
            .withBackoff(Duration.ofMillis(50), options.longestBackoff());
    GatewaySettings settings =
        new GatewaySettings(
            anyPort,
            anyPort,
            Optional.empty(),
            "",
            List.of(),
            cache,
            KubeSettings.DEFAULT,
            FeedSettings.DEFAULTS,
            Duration.ofSeconds(5));
    try {
      Gateway gateway = new Gateway(Kubeconfig.load(kubeconfig, ""), settings);
      gateway.start();
      return new GatewayUnderTest(gateway);
    } catch (ConfigException | KubeException | IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Where it serves on this machine. */
  public int port() {
    return gateway.port();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
