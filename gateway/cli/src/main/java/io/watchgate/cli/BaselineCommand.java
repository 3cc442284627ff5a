package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.watchgate.bench.baseline.BaselineServer;
import io.watchgate.bench.baseline.BaselineServer.Kind;
import io.watchgate.grpc.NettyMemory;
import io.watchgate.grpc.ServerTls;
import io.watchgate.grpc.ServerTransport;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code watchgate baseline}: a baseline server that {@code bench} measures for comparison. */
@Command(
    name = "baseline",
    customSynopsis = "watchgate baseline bare|naive|floor [OPTION...]",
    description = {
      "Serves ListAndWatch to 'watchgate bench' only, for comparison with a gateway:",
      "bare is the least that gRPC for Java takes, naive what is written without much thought,",
      "floor what hand-made frames of HTTP/2 take."
    },
    mixinStandardHelpOptions = true)
final class BaselineCommand implements Callable<Integer> {
  private static final int MAX_BATCH = 1_024;
  private static final int MAX_THRESHOLD = 1 << 20;

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "KIND", description = "bare, naive or floor.")
  private String kind = "";

  @Option(
      names = "--apiserver",
      paramLabel = "HOST:PORT",
      converter = ServerAddress.Converter.class,
      description = "The apiserver, without TLS. Default: as --kubeconfig says.")
  private @Nullable ServerAddress plaintext;

  @Mixin private final ApiserverOptions apiserver = new ApiserverOptions();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7443",
      description = "Address of gRPC. Default: ${DEFAULT-VALUE}.")
  private String listen = "";

  @Option(
      names = "--http-listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9443",
      description = "Address of /metrics. Default: ${DEFAULT-VALUE}.")
  private String httpListen = "";

  @Option(
      names = "--batch",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description =
          "Maximum number of events that bare and floor join into a response, 1 to 1024. Default:"
              + " ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--ready-threshold",
      paramLabel = "BYTES",
      defaultValue = "" + ServerTransport.READY_BYTES,
      description =
          "Bytes in flight below which a stream of bare accepts more, 1 to 1048576. Default:"
              + " ${DEFAULT-VALUE}.")
  private int readyThreshold;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Certificate of bare, PEM. Default: without TLS.")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Private key of --tls-cert, PEM. Default: none.")
  private @Nullable Path tlsKey;

  BaselineCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress at = loopback("--listen", listen);
    InetSocketAddress httpAt = loopback("--http-listen", httpListen);
    ServerTransport transport = new ServerTransport(Runtime.getRuntime().availableProcessors());
    Kind chosen = kind(transport, at);
    try {
      // A naive implementation leaves all transport settings to gRPC.
      ServerBuilder<?> builder =
          switch (chosen) {
            case Kind.Bare _ -> bare(transport, at);
            case Kind.Naive _, Kind.Floor _ -> NettyServerBuilder.forAddress(at);
          };
      ClientConfig access =
          plaintext == null
              ? apiserver.clientConfig()
              : ClientConfig.plaintext(plaintext.toString(), "--apiserver");
      BaselineServer server =
          new BaselineServer(chosen, access, builder, httpAt, NettyMemory::directBytes);
      stdio
          .err()
          .printf(
              "serving %s on %s, metrics on %s%n",
              kind,
              ListenAddress.text(at, server.port()),
              ListenAddress.text(httpAt, server.httpPort()));
    } catch (ConfigException | IOException e) {
      stdio.err().println("watchgate: " + e.getMessage());
      return ExitCodes.FAILED;
    }
    new CountDownLatch(1).await(); // until a signal ends the process
    return ExitCodes.SUCCESS;
  }

  private ServerBuilder<?> bare(ServerTransport transport, InetSocketAddress at)
      throws IOException {
    Path certificate = tlsCertificate;
    Path key = tlsKey;
    return certificate == null || key == null
        ? transport.server(at)
        : transport.server(
            at, new ServerTls.Files(certificate, key, null, ServerTls.MinVersion.TLS_1_3));
  }

  private Kind kind(ServerTransport transport, InetSocketAddress at) {
    requireInRange(spec, "--batch", batch, 1, MAX_BATCH);
    requireInRange(spec, "--ready-threshold", readyThreshold, 1, MAX_THRESHOLD);
    return switch (kind.toLowerCase(Locale.ROOT)) {
      case "bare" -> new Kind.Bare(transport.loops(), batch, readyThreshold);
      case "naive" -> new Kind.Naive();
      case "floor" -> new Kind.Floor(transport.withoutGrpc(), at, transport.loops(), batch);
      default -> throw UsageError.of(spec, "'" + kind + "' is none of bare, naive, floor");
    };
  }

  /** Requires loopback, because a baseline server serves no network. */
  private InetSocketAddress loopback(String option, String text) {
    InetSocketAddress address = ListenAddress.parse(spec, option, text);
    if (!address.getAddress().isLoopbackAddress()) {
      throw UsageError.of(
          spec, option + " " + text + " is not loopback; a baseline is for this machine alone");
    }
    return address;
  }
}
