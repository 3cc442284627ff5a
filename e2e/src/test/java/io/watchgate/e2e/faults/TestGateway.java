package io.watchgate.e2e.faults;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeName;
import io.watchgate.cli.Gateway;
import io.watchgate.cli.GatewaySettings;
import io.watchgate.feed.FeedSettings;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A gateway in this JVM with waits so short that faults pass quickly, and clients of it. */
final class TestGateway implements AutoCloseable {
  static final int SMALL_WINDOW = 64 << 10;
  static final int LARGE_WINDOW = 64 << 20;

  private final Gateway gateway;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private @Nullable ManagedChannel channel;

  private TestGateway(Gateway gateway) {
    this.gateway = gateway;
  }

  /**
   * What differs from one test to another.
   *
   * @param context of the kubeconfig
   * @param clusterName empty: the uid of the cluster
   * @param types opened at the start
   */
  record Setup(
      String context,
      String clusterName,
      List<TypeName> types,
      CacheSettings cache,
      KubeSettings kube,
      FeedSettings feed) {
    static final Setup QUICK =
        new Setup(
            "",
            "",
            List.of(),
            CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
                .withBackoff(Duration.ofMillis(20), Duration.ofMillis(200)),
            KubeSettings.DEFAULT
                .withRequestTimeout(Duration.ofSeconds(5))
                .with(new KubeSettings.Ages(Duration.ofSeconds(30), Duration.ofMillis(100))),
            new FeedSettings(Duration.ofMillis(300), Duration.ofSeconds(1)));

    Setup with(CacheSettings changed) {
      return new Setup(context, clusterName, types, changed, kube, feed);
    }

    Setup as(String user) {
      return new Setup(user, "a cluster of tests", types, cache, kube, feed);
    }

    Setup opening(String... resources) {
      List<TypeName> named = new ArrayList<>();
      for (String resource : resources) {
        named.add(new TypeName("", "", resource));
      }
      return new Setup(context, clusterName, named, cache, kube, feed);
    }
  }

  /** Made, but not started: the probes answer. */
  static TestGateway make(Path kubeconfig, Setup setup) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    GatewaySettings settings =
        new GatewaySettings(
            anyPort,
            anyPort,
            Optional.empty(),
            setup.clusterName(),
            setup.types(),
            setup.cache(),
            setup.kube(),
            setup.feed(),
            Duration.ofSeconds(2));
    try {
      return new TestGateway(new Gateway(Kubeconfig.load(kubeconfig, setup.context()), settings));
    } catch (ConfigException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Serving. */
  static TestGateway start(Path kubeconfig, Setup setup) {
    TestGateway made = make(kubeconfig, setup);
    try {
      made.start();
      return made;
    } catch (KubeException e) {
      made.close();
      throw new IllegalStateException(e);
    }
  }

  /** Returns once it serves. */
  void start() throws KubeException {
    try {
      gateway.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Begins to start, which waits for the apiserver. */
  CompletableFuture<Void> startLater() {
    return CompletableFuture.runAsync(
        () -> {
          try {
            start();
          } catch (KubeException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  int port() {
    return gateway.port();
  }

  /** The one connection that most tests need. */
  ManagedChannel channel() {
    ManagedChannel made = channel;
    if (made == null) {
      made = connect(port(), LARGE_WINDOW);
      channel = made;
    }
    return made;
  }

  /**
   * A connection of its own, perhaps through something that listens on another port.
   *
   * @param window how many bytes the server may send before they are asked for
   */
  ManagedChannel connect(int atPort, int window) {
    ManagedChannel made =
        NettyChannelBuilder.forAddress("127.0.0.1", atPort)
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(window)
            .maxInboundMessageSize(64 << 20)
            .build();
    channels.add(made);
    return made;
  }

  WatchServiceGrpc.WatchServiceBlockingStub calls() {
    return WatchServiceGrpc.newBlockingStub(channel()).withDeadlineAfter(Subscriber.LIMIT);
  }

  Subscriber subscribe(ListAndWatchRequest request) {
    return Subscriber.open(channel(), request);
  }

  /** How a stream that is not to come about ends. */
  Answer refuse(ListAndWatchRequest request) {
    try (Subscriber refused = subscribe(request)) {
      return refused.end();
    }
  }

  HttpResponse<String> http(String path) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + path);
    try {
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * The sum of a metric over all its lines that have {@code labels}; 0 if there is none.
   *
   * @param labels as they stand: {@code type="pods"}
   */
  double metric(String name, String... labels) {
    Matcher lines =
        Pattern.compile("^" + name + "(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE)
            .matcher(http("/metrics").body());
    double sum = 0;
    while (lines.find()) {
      String found = String.valueOf(lines.group(1));
      if (List.of(labels).stream().allMatch(found::contains)) {
        sum += Double.parseDouble(lines.group(2));
      }
    }
    return sum;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    gateway.close();
    http.close();
  }
}
