package io.watchgate.cli;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeName;
import io.watchgate.feed.FeedSettings;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.kube.ClusterAccess;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.InCluster;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.proto.v1.ResourceType;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code watchgate serve}: a gateway before one cluster, until it is told to end. */
@Command(
    name = "serve",
    description = {
      "Serves ListAndWatch before one cluster, until SIGTERM or Ctrl-C: then streams are told where"
          + " to go on, and end within 10 s.",
      "The log goes to stderr."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended by SIGTERM or Ctrl-C",
      "1:it could not start; stderr says why and what to do",
      "2:the command line is wrong"
    },
    sortOptions = false)
final class ServeCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "How to reach the apiserver. Default: the file that KUBECONFIG names, else the pod's"
              + " service account when in a cluster, else ~/.kube/config.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      defaultValue = "",
      description = "A context of the kubeconfig. Default: its current one.")
  private String context = "";

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7443",
      description = "Where gRPC is served. Default: ${DEFAULT-VALUE}.")
  private String listen = "";

  @Option(
      names = "--http-listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9443",
      description = "Where /livez, /readyz and /metrics are served. Default: ${DEFAULT-VALUE}.")
  private String httpListen = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "Certificate chain of the gRPC server, PEM. Needs --tls-key. Default: none, plaintext.")
  private @Nullable File tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its private key, PEM, PKCS#8. Default: none.")
  private @Nullable File tlsKey;

  @Option(
      names = "--insecure",
      description =
          "Serve plaintext on an address that is not loopback: everybody who reaches the port reads"
              + " what the gateway may read. Default: no.")
  private boolean insecure;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      converter = TypeArgument.Converter.class,
      description =
          "Open this resource type at the start and keep it open; may be repeated: pods,"
              + " deployments.apps, gateways.gateway.networking.k8s.io. Others are opened when"
              + " asked for, but secrets are served only if named here. Default: none.")
  private List<TypeArgument> types = new ArrayList<>();

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "Identifies the cluster in tokens, the same on all replicas. Default: the uid of"
              + " namespace kube-system.")
  private String clusterName = "";

  @Option(
      names = "--history-age",
      paramLabel = "MINUTES",
      defaultValue = "10",
      description = "How far back a token may reach, 1 to 1440. Default: ${DEFAULT-VALUE}.")
  private int historyMinutes;

  @Option(
      names = "--history-mib",
      paramLabel = "MIB",
      defaultValue = "64",
      description =
          "The same in MiB a type, 1 to 8192; whichever ends first. Default: ${DEFAULT-VALUE}.")
  private int historyMib;

  @Option(
      names = "--unused-after",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "When a type that nobody watches is closed upstream, 0 (never) to 86400. Default:"
              + " ${DEFAULT-VALUE}.")
  private int unusedSeconds;

  @Override
  public Integer call() throws InterruptedException {
    GatewaySettings settings = settings();
    Gateway gateway;
    try {
      ClusterAccess access = access();
      if (access.unverified()) {
        log.warn(
            "{}: insecure-skip-tls-verify: anybody on the way to the apiserver can read and change"
                + " what is served",
            access.source());
      }
      gateway = new Gateway(access, settings);
    } catch (ConfigException | IOException e) {
      return failed(e);
    }
    Thread closer =
        new Thread(
            () -> {
              log.info("shutting down");
              gateway.close();
              // To end when told to is success; left alone, the JVM says 128 and the signal's
              // number.
              Runtime.getRuntime().halt(0);
            },
            "shutdown");
    Runtime.getRuntime().addShutdownHook(closer);
    try {
      gateway.start();
    } catch (KubeException | IOException e) {
      Runtime.getRuntime().removeShutdownHook(closer);
      gateway.close();
      return failed(e);
    } catch (InterruptedException e) {
      closer.join(); // told to end while it waited
      return 0;
    }
    log.info(
        "serving gRPC on {}{}, probes and metrics on {}",
        hostPort(settings.listen(), gateway.port()),
        settings.tls().isPresent() ? " (TLS)" : " (plaintext)",
        hostPort(settings.httpListen(), gateway.httpPort()));
    new CountDownLatch(1).await(); // the shutdown never returns here
    return 0;
  }

  private int failed(Exception cause) {
    require().commandLine().getErr().println("watchgate serve: " + cause.getMessage());
    return 1;
  }

  private CommandSpec require() {
    return Objects.requireNonNull(spec);
  }

  private ParameterException usage(String message) {
    return new ParameterException(require().commandLine(), message);
  }

  private ClusterAccess access() throws ConfigException {
    Path file = kubeconfig;
    if (file != null) {
      return Kubeconfig.load(file, context);
    }
    String named = System.getenv().getOrDefault("KUBECONFIG", "");
    if (named.contains(File.pathSeparator)) {
      throw usage("KUBECONFIG names several files, which are not merged; name one: --kubeconfig");
    }
    if (!named.isEmpty()) {
      return Kubeconfig.load(Path.of(named), context);
    }
    return System.getenv("KUBERNETES_SERVICE_HOST") != null
        ? InCluster.load(System.getenv(), InCluster.SERVICE_ACCOUNT)
        : Kubeconfig.load(Path.of(System.getProperty("user.home"), ".kube", "config"), context);
  }

  private GatewaySettings settings() {
    InetSocketAddress address = address("--listen", listen);
    return new GatewaySettings(
        address,
        address("--http-listen", httpListen),
        tls(address),
        clusterName,
        types.stream().map(ServeCommand::typeName).toList(),
        CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
            .withHistory(
                Duration.ofMinutes(within("--history-age", historyMinutes, 1, 1440)),
                (long) within("--history-mib", historyMib, 1, 8192) << 20)
            .withUnusedAfter(Duration.ofSeconds(within("--unused-after", unusedSeconds, 0, 86400))),
        KubeSettings.DEFAULT,
        FeedSettings.DEFAULTS,
        Duration.ofSeconds(10));
  }

  private int within(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw usage(option + " " + value + " is out of range: " + min + " to " + max);
    }
    return value;
  }

  private InetSocketAddress address(String option, String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
    int port;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException _) {
      port = -1;
    }
    if (colon < 0 || host.isEmpty() || port < 0 || port > 65535) {
      throw usage(option + " " + text + ": expected HOST:PORT, such as 127.0.0.1:7443");
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw usage(option + " " + text + ": the host " + host + " has no address");
    }
    return address;
  }

  private Optional<GatewayServer.TlsFiles> tls(InetSocketAddress address) {
    File cert = tlsCert;
    File key = tlsKey;
    if ((cert == null) != (key == null)) {
      throw usage("--tls-cert and --tls-key belong together");
    }
    if (cert != null && key != null) {
      for (File file : List.of(cert, key)) {
        if (!file.canRead()) {
          throw usage(file + " cannot be read");
        }
      }
      return Optional.of(new GatewayServer.TlsFiles(cert, key));
    }
    if (!insecure && !address.getAddress().isLoopbackAddress()) {
      throw usage(
          "--listen "
              + listen
              + " is not loopback, and without TLS everybody on the network could read along. "
              + "Give --tls-cert and --tls-key, or say --insecure.");
    }
    return Optional.empty();
  }

  private static TypeName typeName(TypeArgument argument) {
    ResourceType type = argument.type();
    return new TypeName(type.getGroup(), type.getVersion(), type.getResource());
  }

  private static String hostPort(InetSocketAddress address, int port) {
    return address.getHostString() + ":" + port;
  }
}
