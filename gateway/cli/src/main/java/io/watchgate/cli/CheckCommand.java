package io.watchgate.cli;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.watchgate.check.run.CheckException;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.check.run.CheckRun;
import io.watchgate.client.WatchError;
import io.watchgate.kube.ConfigException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code watchgate check}: verifies that a gateway keeps the promises of {@code watch.proto}. */
@Command(
    name = "check",
    customSynopsis = "watchgate check [OPTION...]",
    description = {
      "Checks a gateway: writes objects at the apiserver behind it, watches them there and, on many"
          + " streams that stop, leave and come back, through the gateway, and judges each promise"
          + " of the contract by what really happened. With several --server each stream is opened"
          + " at another replica than the one before.",
      "Objects live in namespaces of their own, which are removed in the end.",
      "Needs at the apiserver: create and delete namespaces; create, patch, delete,"
          + " deletecollection, list and watch configmaps, pods and leases, patch pods/status; get"
          + " the namespace kube-system, without which a gateway of another cluster is not noticed."
          + " The user of --bearer-token-file or --tls-client-cert needs at the gateway: list and"
          + " watch configmaps, pods and leases in all namespaces."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no broken promise was found",
      "1:a promise was broken, or nothing could be judged; the report or stderr says which or why",
      "2:the command line is wrong",
      "130, 143:ended by Ctrl-C, by SIGTERM, with the judgement so far"
    },
    footer = {
      "",
      "'watchgate serve --sandbox --churn 0' in another terminal, and then",
      "'watchgate check --apiserver http://127.0.0.1:8080' is a complete example."
    })
final class CheckCommand implements Callable<Integer> {
  /** Connections to each replica. */
  private static final int CONNECTIONS = 4;

  private static final int MAX_SUBSCRIBERS = 1_000;
  private static final double MAX_RATE = 2_000;

  /** Longest duration, because all received messages are kept until the end. */
  private static final Duration MAX_DURATION = Duration.ofMinutes(30);

  /** Largest tolerated clock skew; a larger one is an error of the clocks. */
  private static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(5);

  private final Stdio stdio;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private final ClientOptions server;
  @Mixin private final WriteApiserverOptions apiserver = new WriteApiserverOptions();

  @Option(
      names = "--subscribers",
      paramLabel = "NUMBER",
      defaultValue = "40",
      description =
          "Number of subscribers, 1 to 1000, each with a selection, a projection and a policy of"
              + " its own. Default: ${DEFAULT-VALUE}.")
  private int subscribers;

  @Option(
      names = "--rate",
      paramLabel = "NUMBER",
      defaultValue = "100",
      description = "Writes per second, above 0, up to 2000. Default: ${DEFAULT-VALUE}.")
  private double rate;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description = "Time of writing, up to 30m. Default: 1m.")
  private Duration duration = Duration.ofMinutes(1);

  @Option(
      names = "--clock-skew",
      paramLabel = "DURATION",
      converter = DurationArgument.class,
      description =
          "Maximum lead of the gateway's clock over this machine's, up to 5m. Default: 1s.")
  private Duration clockSkew = Duration.ofSeconds(1);

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description =
          "Seed of the writes and the subscriptions. Default: a new one, which is printed.")
  private @Nullable Long seed;

  CheckCommand(Stdio stdio) {
    this.stdio = stdio;
    this.server = new ClientOptions(stdio.environment());
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkRanges();
    ReconnectReporter reporter = new ReconnectReporter(stdio.err(), Optional.empty());
    Optional<ChannelCredentials> credentials = server.credentials(reporter);
    if (credentials.isEmpty()) {
      return ExitCodes.FAILED;
    }
    List<ManagedChannel> channels = channels(credentials.get());
    ProgressLine progress = new ProgressLine(stdio, 10);
    try {
      return run(
          new CheckRun(plan(), apiserver.clientConfig(), channels, progress), progress, reporter);
    } catch (ConfigException e) {
      reporter.report(String.valueOf(e.getMessage()));
      return ExitCodes.FAILED;
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  private void checkRanges() {
    apiserver.check();
    UsageError.requireInRange(spec, "--subscribers", subscribers, 1, MAX_SUBSCRIBERS);
    if (!(rate > 0 && rate <= MAX_RATE)) {
      throw UsageError.of(
          spec, "--rate " + rate + " is out of range: above 0, up to " + (int) MAX_RATE);
    }
    if (duration.compareTo(MAX_DURATION) > 0) {
      throw UsageError.of(spec, "--duration is at most " + DurationArgument.text(MAX_DURATION));
    }
    if (clockSkew.compareTo(MAX_CLOCK_SKEW) > 0) {
      throw UsageError.of(spec, "--clock-skew is at most " + DurationArgument.text(MAX_CLOCK_SKEW));
    }
  }

  private CheckPlan plan() {
    long own = seed == null ? System.nanoTime() % 1_000_000_000 : seed;
    return new CheckPlan(
        subscribers, rate, duration, own, CheckPlan.DEFAULT_SETTLE_TIMEOUT, clockSkew);
  }

  /** Returns channels in an order that alternates between the replicas. */
  private List<ManagedChannel> channels(ChannelCredentials credentials) {
    return IntStream.range(0, CONNECTIONS)
        .boxed()
        .flatMap(any -> server.allServers().stream())
        .map(at -> channel(at, credentials))
        .toList();
  }

  private ManagedChannel channel(ServerAddress at, ChannelCredentials credentials) {
    ManagedChannelBuilder<?> channel =
        Grpc.newChannelBuilderForAddress(at.host(), at.port(), credentials);
    server.serverName().ifPresent(channel::overrideAuthority);
    return channel.build();
  }

  private int run(CheckRun run, ProgressLine progress, ReconnectReporter reporter)
      throws IOException, InterruptedException {
    try (ShutdownHook _ = new ShutdownHook(run::stop)) {
      CheckResult result = run.run();
      progress.end();
      stdio.print(result.text());
      return result.holds() ? ExitCodes.SUCCESS : ExitCodes.FAILED;
    } catch (CheckException e) {
      progress.end();
      reporter.report(e.getMessage() + connectionHint(e));
      return ExitCodes.FAILED;
    }
  }

  private static String connectionHint(CheckException failure) {
    return failure
        .connectionError()
        .map(error -> TransportErrorText.of(WatchError.of(error)))
        .map(text -> ": " + text.cause() + ". " + text.advice())
        .orElse("");
  }
}
