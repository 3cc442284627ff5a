package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.watchgate.cli.live.LiveTable;
import io.watchgate.cli.live.LiveView;
import io.watchgate.cli.live.StalenessThreshold;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableOutput;
import io.watchgate.cli.output.TableShape;
import io.watchgate.client.WatchClient;
import io.watchgate.kube.ConfigException;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.sandbox.churn.ChurnSettings.Pace;
import io.watchgate.server.Gateway;
import io.watchgate.server.GatewaySettings;
import io.watchgate.table.TypeColumns;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code watchgate demo}: a simulated cluster, a gateway in front of it, and a table of its pods.
 */
@Command(
    name = "demo",
    customSynopsis = "watchgate demo [OPTION...]",
    description = {
      "Starts a sandbox with a small simulated cluster, a gateway in front of it, and shows the"
          + " pods as they come through the gateway. Ctrl-C ends all of it.",
      "If stdout is not a terminal, it gets a row for each change instead."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the reader of stdout closed the pipe, as head does",
      "1:it could not start; stderr says why and what to do",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM"
    })
final class DemoCommand implements Callable<Integer> {
  private static final ListAndWatchRequest PODS =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder().setResourceType(ResourceType.newBuilder().setResource("pods")))
          .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS))
          .setClientName("watchgate demo")
          .build();

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private final SandboxOptions sandbox = new SandboxOptions();
  @Mixin private final ServeOptions options = new ServeOptions();

  DemoCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  @Override
  public Integer call() throws InterruptedException {
    long half = Runtime.getRuntime().maxMemory() / 2; // the sandbox uses the other half
    GatewaySettings settings = options.settings(half);
    if (settings.tls().isPresent()) {
      throw UsageError.of(
          spec,
          "the table of demo follows its gateway without TLS; leave --tls-cert out, or take serve"
              + " --sandbox");
    }
    if (!stdio.environment().containsKey(LogToStderr.LEVEL)) {
      System.setProperty(LogToStderr.LEVEL, "WARN"); // successes are visible in the table
    }
    try (EmbeddedSandbox cluster =
            sandbox.start(options.isInsecure(), settings, half, Pace.LIVELY);
        Gateway gateway = new Gateway(cluster.clientConfig(), settings)) {
      gateway.start();
      ServerAddress server = new ServerAddress(settings.listen().getHostString(), gateway.port());
      try (WatchClient client = WatchClient.to(server.host(), server.port()).build()) {
        return stdio.isTerminal(Stdio.Stream.OUT)
            ? view(client, cluster, gateway, settings, server)
            : print(client, server);
      }
    } catch (ConfigException | IOException e) {
      requireNonNull(spec).commandLine().getErr().println("watchgate demo: " + e.getMessage());
      return ExitCodes.FAILED;
    }
  }

  private int view(
      WatchClient client,
      EmbeddedSandbox cluster,
      Gateway gateway,
      GatewaySettings settings,
      ServerAddress server)
      throws IOException, InterruptedException {
    // Without --server, the other commands use a variable, a context, or the default address.
    String serverOption =
        ClientOptions.isUsual(server, stdio.environment()) ? "" : " --server " + server;
    List<String> hints =
        List.of(
            "In a second terminal:",
            "  ./watchgate watch pods -n shop" + serverOption,
            "  ./watchgate watch deployments -o diff --changes-only" + serverOption,
            "  curl http://%s/metrics"
                .formatted(ListenAddress.text(settings.httpListen(), gateway.httpPort())),
            "and at the sandbox, the apiserver behind the gateway:",
            "  curl -N 'http://%s/api/v1/pods?watch=1'".formatted(cluster.hostPort()),
            "  kubectl --server http://%s get pods -A -w".formatted(cluster.hostPort()));
    LiveView view =
        new LiveView(
            stdio.out(),
            stdio.clock(),
            new LiveTable(
                stdio.clock(),
                StalenessThreshold.of(PODS.getSelection().getResourceType()),
                TableShape.of(TableShape.Extra.NAMESPACE),
                TypeColumns::of),
            ColorChoice.AUTO.styleFor(stdio),
            "watchgate demo: sandbox http://%s, gateway %s".formatted(cluster.hostPort(), server),
            () -> hints);
    Thread closer =
        new Thread(
            () -> {
              view.end();
              stdio.err().println("watchgate demo: ended, nothing is left running");
            },
            "terminal");
    Runtime.getRuntime().addShutdownHook(closer);
    client.watch(PODS, view);
    view.run();
    return 0;
  }

  private int print(WatchClient client, ServerAddress server) throws InterruptedException {
    TableOutput rows =
        new TableOutput(
            stdio.out(),
            stdio.clock(),
            TableShape.of(TableShape.Extra.EVENT, TableShape.Extra.NAMESPACE),
            RowStyle.PLAIN,
            TypeColumns::of);
    ReconnectReporter reporter = new ReconnectReporter(stdio.err());
    WatchSession.Outcome outcome = new WatchSession.Outcome();
    WatchSession session =
        new WatchSession(
            outcome,
            rows,
            reporter,
            new WatchSession.Settings(
                server.toString(),
                /* replicas= */ 1,
                PODS.getSelection(),
                WatchSession.FirstSnapshot.PRINTED,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                /* waits= */ true),
            new StalenessNotice(
                StalenessThreshold.of(PODS.getSelection().getResourceType()),
                reporter,
                new UpstreamFailureLookup(client, PODS.getSelection().getResourceType(), stdio)
                    ::failure),
            () -> "");
    client.watch(PODS, session);
    try {
      return outcome.exitCode().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a session completes with an exit code", e);
    }
  }
}
